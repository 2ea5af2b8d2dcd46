import { type FinishedSpan, spanKinds } from '@fnlet/invocation';
import { randomSpanId, randomTraceId } from '../trace-id.ts';
import { RecordedSpan, readTime } from './recorded-span.ts';
import {
  activeSpan,
  isContext,
  type ScopeContext,
  type TraceScope,
  withSpan,
} from './trace-scope.ts';

/** The `Tracer` of `@opentelemetry/api` by its shape. */
export interface SpanMaker {
  startSpan(name: string, options?: unknown, context?: unknown): RecordedSpan;
  /** `(name, body)`, `(name, options, body)` or `(name, options, context, body)` */
  startActiveSpan(name: string, ...more: readonly unknown[]): unknown;
}

/** Makes the spans of one scope: children of the active one, or the first of a trace. */
export function createSpanMaker(
  scope: string,
  {
    current,
    onEnd,
  }: { readonly current: TraceScope; readonly onEnd: (span: FinishedSpan) => void },
): SpanMaker {
  const start = (name: string, options: unknown, context: ScopeContext): RecordedSpan => {
    const { kind, startTime, root, attributes, links }: StartOptions = Object(options);
    const parent = root === true ? undefined : activeSpan(context);
    const span = new RecordedSpan({
      ...{ scope, name, onEnd },
      // That package counts from 0.
      kind: typeof kind === 'number' ? kind + 1 : spanKinds.internal,
      traceId: parent?.traceId ?? randomTraceId(),
      spanId: randomSpanId(),
      parentSpanId: parent?.spanId,
      sampled: parent === undefined || (parent.traceFlags & 1) === 1,
      startMs: readTime(startTime),
    });
    return span.setAttributes(attributes).addLinks(links);
  };
  return {
    startSpan: (name, options, context) =>
      start(name, options, isContext(context) ? context : current.active()),
    startActiveSpan(name, ...more) {
      const body = more.at(-1);
      if (typeof body !== 'function') return undefined;
      const [options, given] = more.slice(0, -1);
      const context = isContext(given) ? given : current.active();
      const span = start(name, options, context);
      return current.with(withSpan(context, span), () => Reflect.apply(body, undefined, [span]));
    },
  };
}

interface StartOptions {
  readonly kind?: unknown;
  readonly startTime?: unknown;
  readonly root?: unknown;
  readonly attributes?: unknown;
  readonly links?: unknown;
}
