import type { MetricFamily } from '@fnlet/base';
import type { Answer } from '../answer.ts';

/** Reasons come from our own code; should one ever tell about its call, series stay few. */
const reasonsMax = 64;

/** How often the Gateway answered by itself, and why. */
export class OwnAnswers {
  readonly #counts = new Map<string, { readonly answer: Answer; count: number }>();

  count(answer: Answer): void {
    const { status, code } = answer;
    const isKnown = this.#counts.has(`${status} ${code}`) || this.#counts.size < reasonsMax;
    const counted = isKnown ? answer : { ...answer, code: 'Other' };
    const key = `${status} ${counted.code}`;
    const entry = this.#counts.get(key) ?? { answer: counted, count: 0 };
    entry.count++;
    this.#counts.set(key, entry);
  }

  family(): MetricFamily {
    return {
      name: 'fnlet_gateway_answers_total',
      type: 'counter',
      help: 'Answers of the Gateway itself, to calls of Functions and to others, by why.',
      samples: [...this.#counts.values()].map(({ answer: { status, code }, count }) => ({
        labels: { code: String(status), reason: code },
        value: count,
      })),
    };
  }
}
