import type { Random } from '@fnlet/base';
import { formatTraceparent, isUndecided, type TraceContext } from '@fnlet/invocation';
import type { CallTracer, Trace, Tracer } from '../trace.ts';
import { isSampled, type TraceSampler } from './trace-sampler.ts';

/** Gives each request a span of its own: below that of its caller, or the first of a trace. */
export class SpanTracer implements Tracer {
  readonly #names: CallTracer;
  readonly #random: Random;
  readonly #sampler: TraceSampler;

  constructor(names: CallTracer, random: Random, sampler: TraceSampler) {
    this.#names = names;
    this.#random = random;
    this.#sampler = sampler;
  }

  trace(known: ReadonlyMap<string, string>): Trace {
    const { traceparent, ...named } = this.#names.trace(known);
    const before = readPosition(traceparent);
    // What was made just now, here or by a Gateway before this one: nobody has decided about it.
    const parent = isUndecided(before) ? undefined : before;
    const { traceId } = before;
    const spanId = newSpanId(this.#random);
    const sampled = isSampled(this.#sampler, traceId, parent?.sampled);
    return {
      ...named,
      traceparent: formatTraceparent({ traceId, spanId, sampled }),
      span: { traceId, spanId, parentSpanId: parent?.spanId, sampled },
    };
  }
}

/** 16 hexadecimal digits, not all of them zero. Unique, not secret. */
export function newSpanId(random: Random): string {
  const word = (): string => (1 + Math.floor(random.next() * 0xffff_ffff)).toString(16);
  return word().padStart(8, '0') + word().padStart(8, '0');
}

/** The parts of a traceparent that is sane. */
function readPosition(traceparent: string): TraceContext {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
