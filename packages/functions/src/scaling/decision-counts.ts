import type { MetricFamily } from '@fnlet/base';
import { formatObjectKey, type ObjectKey } from '@fnlet/machinery';
import type { ScalingNews } from '../scaler.ts';

type Direction = 'wake' | 'up' | 'down' | 'sleep';

/** How often the scaler changed a number, by Function, direction and cause. */
export class DecisionCounts {
  readonly #byFunction = new Map<string, Map<string, Count>>();

  count({ revision, from, to, cause }: ScalingNews): void {
    const { namespace, function: name } = revision;
    const direction = directionOf(from, to);
    const key = formatObjectKey({ namespace, name });
    const counts = this.#byFunction.get(key) ?? new Map<string, Count>();
    this.#byFunction.set(key, counts);
    const labels = { namespace, function: name, direction, cause };
    const known = counts.get(`${direction} ${cause}`) ?? { labels, value: 0 };
    counts.set(`${direction} ${cause}`, { labels, value: known.value + 1 });
  }

  forget(key: ObjectKey): void {
    this.#byFunction.delete(formatObjectKey(key));
  }

  family(): MetricFamily {
    return {
      name: 'fnlet_scaling_decisions_total',
      type: 'counter',
      help: 'Changes of how many Instances are wanted, by direction and by what decided.',
      samples: [...this.#byFunction.values()].flatMap((counts) => [...counts.values()]),
    };
  }
}

interface Count {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

function directionOf(from: number, to: number): Direction {
  if (to === 0) return 'sleep';
  if (from === 0) return 'wake';
  return to > from ? 'up' : 'down';
}
