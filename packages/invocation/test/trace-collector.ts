import { createServer, type IncomingHttpHeaders } from 'node:http';

/** A span as a collector gets it, its attributes by their keys. */
export interface CollectedSpan {
  readonly scope: string;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number; readonly message?: string };
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly { readonly name: string }[];
}

/** Takes spans as OTLP over HTTP brings them, as JSON. */
export interface TraceCollector extends AsyncDisposable {
  /** Without a path. */
  readonly url: string;
  /** Everything that was sent so far. */
  readonly spans: readonly CollectedSpan[];
  /** Paths and headers of the requests. */
  readonly requests: readonly { readonly path: string; readonly headers: IncomingHttpHeaders }[];
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = [];
  const requests: { path: string; headers: IncomingHttpHeaders }[] = [];
  const server = createServer(async (request, response) => {
    requests.push({ path: request.url ?? '', headers: request.headers });
    const sent: SentTraces = JSON.parse((await Array.fromAsync(request)).join(''));
    for (const { resource, scopeSpans } of sent.resourceSpans) {
      for (const { scope, spans: own } of scopeSpans) {
        const from = { scope: scope.name, resource: attributesOf(resource.attributes) };
        spans.push(...own.map((span) => ({ ...span, ...from, ...attributesIn(span) })));
      }
    }
    response.setHeader('content-type', 'application/json').end('{"partialSuccess":{}}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    spans,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type KeyValues = readonly { readonly key: string; readonly value: object }[];

interface SentSpan extends Omit<CollectedSpan, 'attributes' | 'scope' | 'resource'> {
  readonly attributes: KeyValues;
}

interface SentTraces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: KeyValues };
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string };
      readonly spans: readonly SentSpan[];
    }[];
  }[];
}

function attributesIn({ attributes }: SentSpan): Pick<CollectedSpan, 'attributes'> {
  return { attributes: attributesOf(attributes) };
}

function attributesOf(attributes: KeyValues): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
