/*
 * What takes the place of the package `@opentelemetry/api` in functions of Kyma that import it
 * without declaring it, as Kyma's images allow. It does what that package does until somebody
 * registers an SDK: nothing, at the same call signatures. Functions that register one declare it,
 * and then get the real thing.
 */

/** One of the doors of the package; nobody here looks inside. */
type Door = Readonly<Record<string, unknown>>;

/** An open-ended function: it is called with whatever its original takes. */
type Open<Result> = (...input: readonly unknown[]) => Result;

interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

interface Context {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): Context;
  deleteValue(key: symbol): Context;
}

interface Span {
  readonly spanContext: () => SpanContext;
  readonly setAttribute: Open<Span>;
  readonly setAttributes: Open<Span>;
  readonly addEvent: Open<Span>;
  readonly addLink: Open<Span>;
  readonly addLinks: Open<Span>;
  readonly setStatus: Open<Span>;
  readonly updateName: Open<Span>;
  readonly recordException: Open<void>;
  readonly end: Open<void>;
  readonly isRecording: () => boolean;
}

interface Tracer {
  readonly startSpan: Open<Span>;
  readonly startActiveSpan: Open<unknown>;
}

export const SpanStatusCode = { UNSET: 0, OK: 1, ERROR: 2 } as const;
export const SpanKind = { INTERNAL: 0, SERVER: 1, CLIENT: 2, PRODUCER: 3, CONSUMER: 4 } as const;
export const TraceFlags = { NONE: 0, SAMPLED: 1 } as const;
export const ValueType = { INT: 0, DOUBLE: 1 } as const;
export const DiagLogLevel = {
  NONE: 0,
  ERROR: 30,
  WARN: 50,
  INFO: 60,
  DEBUG: 70,
  VERBOSE: 80,
  ALL: 9999,
} as const;

export const INVALID_TRACEID: string = '0'.repeat(32);
export const INVALID_SPANID: string = '0'.repeat(16);
export const INVALID_SPAN_CONTEXT: SpanContext = {
  traceId: INVALID_TRACEID,
  spanId: INVALID_SPANID,
  traceFlags: TraceFlags.NONE,
};

export function createContextKey(name: string): symbol {
  return Symbol(name);
}

export function isSpanContextValid({ traceId, spanId }: SpanContext): boolean {
  return traceId !== INVALID_TRACEID && spanId !== INVALID_SPANID;
}

function contextOf(values: ReadonlyMap<symbol, unknown>): Context {
  return {
    getValue: (key) => values.get(key),
    setValue: (key, value) => contextOf(new Map([...values, [key, value]])),
    deleteValue: (key) => contextOf(new Map([...values].filter(([known]) => known !== key))),
  };
}

export const ROOT_CONTEXT: Context = contextOf(new Map());

function spanOf(spanContext: SpanContext): Span {
  const itself = (): Span => span;
  const nothing = (): void => {};
  const span: Span = {
    spanContext: () => spanContext,
    setAttribute: itself,
    setAttributes: itself,
    addEvent: itself,
    addLink: itself,
    addLinks: itself,
    setStatus: itself,
    updateName: itself,
    recordException: nothing,
    end: nothing,
    isRecording: () => false,
  };
  return span;
}

const tracer: Tracer = {
  startSpan: () => spanOf(INVALID_SPAN_CONTEXT),
  // (name, body), (name, options, body) or (name, options, context, body)
  startActiveSpan: (...input) => {
    const body = input.at(-1);
    return typeof body === 'function' ? body(spanOf(INVALID_SPAN_CONTEXT)) : undefined;
  },
};

const spanKey = createContextKey('span');
const provider = { getTracer: (): Tracer => tracer };

export const trace: Door = {
  getTracer: (_name?: string, _version?: string): Tracer => tracer,
  getTracerProvider: (): typeof provider => provider,
  setGlobalTracerProvider: (_provider?: unknown): boolean => false,
  disable: (): void => {},
  getActiveSpan: (): undefined => undefined,
  getSpan: (given: Context): unknown => given.getValue(spanKey),
  setSpan: (given: Context, span: unknown): Context => given.setValue(spanKey, span),
  deleteSpan: (given: Context): Context => given.deleteValue(spanKey),
  setSpanContext: (given: Context, spanContext: SpanContext): Context =>
    given.setValue(spanKey, spanOf(spanContext)),
  getSpanContext: (_given: Context): undefined => undefined,
  isSpanContextValid,
  wrapSpanContext: spanOf,
};

type Callable = (...input: readonly unknown[]) => unknown;

export const context: Door = {
  active: (): Context => ROOT_CONTEXT,
  with: (_context: unknown, body: Callable, ...[self, ...input]: readonly unknown[]): unknown =>
    Reflect.apply(body, self, input),
  bind: (_context: unknown, target: unknown): unknown => target,
  setGlobalContextManager: (_manager?: unknown): boolean => false,
  disable: (): void => {},
};

const baggage = {
  getEntry: (): undefined => undefined,
  getAllEntries: (): readonly unknown[] => [],
  setEntry: (): object => baggage,
  removeEntry: (): object => baggage,
  removeEntries: (): object => baggage,
  clear: (): object => baggage,
};

export const propagation: Door = {
  inject: (..._input: readonly unknown[]): void => {},
  extract: (given: Context, ..._input: readonly unknown[]): Context => given,
  fields: (): readonly string[] => [],
  createBaggage: (_entries?: unknown): object => baggage,
  getBaggage: (_context: Context): undefined => undefined,
  getActiveBaggage: (): undefined => undefined,
  setBaggage: (given: Context, _baggage: unknown): Context => given,
  deleteBaggage: (given: Context): Context => given,
  setGlobalPropagator: (_propagator?: unknown): boolean => false,
  disable: (): void => {},
};

const instrument = {
  add: (..._input: readonly unknown[]): void => {},
  record: (..._input: readonly unknown[]): void => {},
  addCallback: (..._input: readonly unknown[]): void => {},
  removeCallback: (..._input: readonly unknown[]): void => {},
};

const makeInstrument = (..._input: readonly unknown[]): typeof instrument => instrument;

const meter = {
  createCounter: makeInstrument,
  createUpDownCounter: makeInstrument,
  createGauge: makeInstrument,
  createHistogram: makeInstrument,
  createObservableCounter: makeInstrument,
  createObservableUpDownCounter: makeInstrument,
  createObservableGauge: makeInstrument,
  addBatchObservableCallback: (..._input: readonly unknown[]): void => {},
  removeBatchObservableCallback: (..._input: readonly unknown[]): void => {},
};

export const metrics: Door = {
  getMeter: (_name?: string, _version?: string): typeof meter => meter,
  getMeterProvider: (): object => ({ getMeter: () => meter }),
  setGlobalMeterProvider: (_provider?: unknown): boolean => false,
  disable: (): void => {},
};

const silent = (..._input: readonly unknown[]): void => {};

export const diag: Door = {
  setLogger: (..._input: readonly unknown[]): boolean => false,
  disable: (): void => {},
  verbose: silent,
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
};

const api: Door = { trace, context, propagation, metrics, diag };
export default api;
