/** Where in a distributed trace a call comes from. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits: the caller's span. */
  readonly spanId: string;
  readonly sampled: boolean;
  /** As the caller sent it (W3C Trace Context); it is passed on unchanged. */
  readonly tracestate?: string;
}

/** The headers of a request, by names in lower case. */
export type IncomingHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Reads the position that the caller sent: W3C Trace Context, overruled by B3 in one header or in
 * several, as where both are propagated by OpenTelemetry (`tracecontext,b3`). The Gateway gives
 * every call a traceparent, so that a caller who knows B3 alone sends both.
 *
 * B3 may hold a decision to sample and no position. It holds for the position of traceparent; where
 * there is none either, a trace begins: with `newTraceId()`, 32 hexadecimal digits.
 */
export function readTraceContext(
  headers: IncomingHeaders,
  newTraceId: () => string,
): TraceContext | undefined {
  const w3c = readTraceparent(textOf(headers.traceparent));
  const b3 = readB3(headers);
  if (b3 === undefined) return w3c && withState(w3c, headers);
  const { traceId, spanId, sampled } = b3;
  if (traceId === undefined || spanId === undefined) {
    const begun = w3c === undefined ? newTraceId() : '';
    const position = w3c ?? { traceId: begun, spanId: begun.slice(0, 16), sampled: false };
    return withState({ ...position, sampled: sampled ?? position.sampled }, headers);
  }
  return withState({ traceId, spanId, sampled: sampled ?? false }, headers);
}

/**
 * Whether nobody has begun this trace: the Gateway gives calls that came without a position one
 * whose span is the first and the last eight digits of its trace, and leaves it to whoever records
 * traces to sample it or not.
 */
export function isUndecided({ traceId, spanId, sampled }: TraceContext): boolean {
  return !sampled && spanId === traceId.slice(0, 8) + traceId.slice(24);
}

/** The position as a traceparent. */
export function formatTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

/** The headers that pass a position on in both ways. */
export function formatTraceHeaders(trace: TraceContext): Readonly<Record<string, string>> {
  return {
    ...formatW3cHeaders(trace),
    'x-b3-traceid': trace.traceId,
    'x-b3-spanid': trace.spanId,
    'x-b3-sampled': trace.sampled ? '1' : '0',
  };
}

/** The headers that pass a position on as W3C Trace Context has it. */
export function formatW3cHeaders(trace: TraceContext): Readonly<Record<string, string>> {
  const { tracestate } = trace;
  const traceparent = formatTraceparent(trace);
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}

const traceparentPattern =
  /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

function readTraceparent(value: string | undefined): TraceContext | undefined {
  const [, version, traceId, spanId, flags = '', more] = traceparentPattern.exec(value ?? '') ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  // Later versions may add fields, version 00 has none (W3C Trace Context, 4.3).
  if (version === '00' && more !== undefined) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

interface B3 {
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
  readonly sampled?: boolean | undefined;
}

function readB3(headers: IncomingHeaders): B3 | undefined {
  const single = textOf(headers.b3);
  const debug = textOf(headers['x-b3-flags']) === '1' ? 'd' : undefined;
  const [trace, span, decision] =
    single === undefined
      ? [
          textOf(headers['x-b3-traceid']),
          textOf(headers['x-b3-spanid']),
          debug ?? textOf(headers['x-b3-sampled']),
        ]
      : splitB3(single);
  const traceId = validId(trace, 32) ?? validId(trace, 16)?.padStart(32, '0');
  const spanId = validId(span, 16);
  const sampled = decision === undefined ? undefined : decisions[decision];
  if ((traceId === undefined || spanId === undefined) && sampled === undefined) return undefined;
  return { traceId, spanId, sampled };
}

// `{TraceId}-{SpanId}-{SamplingState}-{ParentSpanId}`, or the sampling state alone.
function splitB3(value: string): readonly (string | undefined)[] {
  return value.includes('-') ? value.split('-') : [undefined, undefined, value];
}

const decisions: Readonly<Record<string, boolean>> = {
  '1': true,
  d: true,
  true: true,
  '0': false,
  false: false,
};

function validId(value: string | undefined, length: number): string | undefined {
  if (value?.length !== length || !/^[\da-f]+$/i.test(value) || /^0+$/.test(value)) {
    return undefined;
  }
  return value.toLowerCase();
}

function withState(trace: TraceContext, headers: IncomingHeaders): TraceContext {
  const tracestate = textOf(headers.tracestate);
  return tracestate === undefined || tracestate === '' ? trace : { ...trace, tracestate };
}

function textOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.join(',') : value;
}
