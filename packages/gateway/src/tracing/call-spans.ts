import { type Random, seededRandom } from '@fnlet/base';
import type { FinishedSpan } from '@fnlet/invocation';
import type { CallFacts } from '../metering/call-record.ts';
import { clientAddress, type TrustedProxies } from '../policy/client-address.ts';
import type { CallTracer, Tracer } from '../trace.ts';
import { planCallSpans } from './plan-call-spans.ts';
import { newSpanId, SpanTracer } from './span-tracer.ts';
import type { TraceSampler } from './trace-sampler.ts';
import type { Tracing } from './tracing.ts';

export interface CallSpansOptions {
  readonly random: Random;
  readonly sampler: TraceSampler;
  /** Which proxies before the Gateway are believed in X-Forwarded-For. */
  readonly trustedProxies: TrustedProxies;
  readonly onSpan: (span: FinishedSpan) => void;
}

/** Makes spans of the requests of sampled traces. */
export class CallSpans implements Tracing {
  readonly #options: CallSpansOptions;
  readonly #random: Random;

  constructor(options: CallSpansOptions) {
    this.#options = options;
    // Identifiers need no secrecy, only speed.
    this.#random = seededRandom(Math.floor(options.random.next() * 2 ** 32));
  }

  tracer(names: CallTracer): Tracer {
    return new SpanTracer(names, this.#random, this.#options.sampler);
  }

  read(facts: CallFacts): void {
    const { trace, origin, head } = facts;
    const { span } = trace;
    if (span?.sampled !== true) return;
    const { trustedProxies, onSpan } = this.#options;
    const forwarded = head.fields.known.get('x-forwarded-for');
    const spans = planCallSpans({
      facts,
      span,
      clientAddress: clientAddress(origin.remoteAddress, forwarded, trustedProxies),
      newSpanId: () => newSpanId(this.#random),
    });
    for (const each of spans) onSpan(each);
  }
}
