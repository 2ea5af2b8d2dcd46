import type { EventTracer } from '@fnlet/sdk';

/** The scope of Kyma's own spans, which its dashboards know. */
const scope = 'io.kyma-project.serverless';

// Where `@opentelemetry/api` keeps what was registered, whichever copy of it a function has.
const slot = Symbol.for('opentelemetry.js.api.1');

/**
 * The tracer of the function: of the SDK that its code has registered, else of the Runner where the
 * function says where its spans go, else one whose spans nobody keeps.
 */
export const kymaTracer: EventTracer = {
  startSpan: (...input) => currentTracer().startSpan(...input),
  startActiveSpan: (...input) => currentTracer().startActiveSpan(...input),
};

function currentTracer(): EventTracer {
  const { trace }: { trace?: unknown } = Object(Reflect.get(globalThis, slot));
  return isProvider(trace) ? trace.getTracer(scope) : idleTracer;
}

function isProvider(trace: unknown): trace is { getTracer(name: string): EventTracer } {
  return typeof Reflect.get(Object(trace), 'getTracer') === 'function';
}

const itself = (): object => idleSpan;
const nothing = (): void => {};
const idleSpan = {
  spanContext: () => ({ traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceFlags: 0 }),
  isRecording: () => false,
  setAttribute: itself,
  setAttributes: itself,
  addEvent: itself,
  addLink: itself,
  addLinks: itself,
  setStatus: itself,
  updateName: itself,
  recordException: nothing,
  end: nothing,
};

const idleTracer: EventTracer = {
  startSpan: itself,
  // (name, body), (name, options, body) or (name, options, context, body)
  startActiveSpan: (...input) => {
    const body = input.at(-1);
    return typeof body === 'function' ? body(idleSpan) : undefined;
  },
};
