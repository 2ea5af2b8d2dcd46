/**
 * The spans of a function: one for each call, one for each request that it makes, and those that
 * its code makes with OpenTelemetry or with `event.tracer`. Loaded where a function says where its
 * spans go, and nowhere else.
 *
 * A call is sampled as its caller says; where nobody has decided, it is.
 */
import {
  type FinishedSpan,
  isUndecided,
  type Specialisation,
  spanKinds,
  spanStatus,
  type TraceContext,
  type TraceTarget,
} from '@fnlet/invocation';
import { randomSpanId, randomTraceId } from '../trace-id.ts';
import { describeRequest, OutgoingRequests } from './outgoing-requests.ts';
import { RecordedSpan, readTime } from './recorded-span.ts';
import { registerTracing } from './register-tracing.ts';
import { SpanExporter } from './span-exporter.ts';
import { createSpanMaker } from './span-maker.ts';
import {
  activeSpan,
  createContext,
  type ScopeContext,
  TraceScope,
  withSpan,
} from './trace-scope.ts';
import type { TracedCall, Tracing } from './tracing.ts';

export interface TracingOptions {
  readonly target: TraceTarget;
  readonly specialisation: Specialisation;
  readonly currentCall: () => TracedCall | undefined;
  readonly say: (text: string) => void;
}

const scope = 'fnlet';

export function startTracing(options: TracingOptions): Tracing {
  return new FunctionTracing(options);
}

class FunctionTracing implements Tracing {
  readonly #exporter: SpanExporter;
  readonly #spans = new WeakMap<TracedCall, RecordedSpan>();
  readonly #current: TraceScope;
  readonly #requests = new OutgoingRequests();
  readonly #onEnd = (span: FinishedSpan): void => this.#exporter.add(span);

  constructor({ target, specialisation, currentCall, say }: TracingOptions) {
    const { namespace, revision, instance } = specialisation;
    this.#exporter = new SpanExporter({
      ...{ url: target.url, headers: target.headers, say },
      resource: {
        'service.name': target.service ?? specialisation.function,
        'service.namespace': namespace,
        'service.version': revision,
        'service.instance.id': instance,
        'k8s.namespace.name': namespace,
        'k8s.pod.name': instance,
      },
    });
    const root = createContext();
    this.#current = new TraceScope((): ScopeContext => {
      const call = currentCall();
      const span = call && this.#spans.get(call);
      return span === undefined ? root : withSpan(root, span);
    });
  }

  begin(call: TracedCall): void {
    const { request, requestId, trace } = call;
    const isDecided = trace !== undefined && !isUndecided(trace);
    const span = new RecordedSpan({
      ...{ scope, kind: spanKinds.server, name: request.method ?? '', onEnd: this.#onEnd },
      traceId: trace?.traceId ?? randomTraceId(),
      spanId: randomSpanId(),
      parentSpanId: isDecided ? trace.spanId : undefined,
      tracestate: trace?.tracestate,
      sampled: isDecided ? trace.sampled : true,
      startMs: readTime(),
    });
    const [path] = (request.url ?? '').split('?', 1);
    span.setAttributes({
      'http.request.method': request.method,
      'url.path': path,
      'faas.trigger': 'http',
      'faas.invocation_id': requestId,
    });
    this.#spans.set(call, span);
  }

  end(call: TracedCall): void {
    const { statusCode } = call.response;
    const span = this.#spans.get(call);
    span?.setAttribute('http.response.status_code', statusCode);
    if (call.outcome.failed || statusCode >= 500) span?.setStatus({ code: spanStatus.error });
    span?.end();
  }

  outgoing(call: TracedCall, request: object): TraceContext {
    const parent = activeSpan(this.#current.active()) ?? this.#spans.get(call)?.spanContext();
    const sampled = parent === undefined || (parent.traceFlags & 1) === 1;
    const traceId = parent?.traceId ?? randomTraceId();
    const spanId = randomSpanId();
    const { method, url, host } = describeRequest(request);
    const span = new RecordedSpan({
      ...{ scope, kind: spanKinds.client, name: method, onEnd: this.#onEnd },
      ...{ traceId, spanId, sampled, parentSpanId: parent?.spanId, startMs: readTime() },
    });
    span.setAttributes({ 'http.request.method': method, 'url.full': url, 'server.address': host });
    this.#requests.onAnswer(request, ({ status, error }) => {
      span.setAttribute('http.response.status_code', status).setAttribute('error.type', error);
      if (error !== undefined || (status ?? 0) >= 400) span.setStatus({ code: spanStatus.error });
      span.end();
    });
    const tracestate = call.trace?.tracestate;
    return { traceId, spanId, sampled, ...(tracestate === undefined ? {} : { tracestate }) };
  }

  register(): void {
    const current = this.#current;
    registerTracing({
      provider: {
        getTracer: (name) => createSpanMaker(String(name ?? ''), { current, onEnd: this.#onEnd }),
      },
      current,
    });
  }

  flush(): Promise<void> {
    return this.#exporter.flush();
  }
}
