import type { TestCluster } from '@fnlet/testing';
import type { Step } from './action.ts';
import { simulate, type Verdict } from './simulate.ts';

/** Leaves out of a history whatever it goes wrong without as well. */
export async function shrinkHistory(empty: TestCluster, failed: Verdict): Promise<Verdict> {
  let best = failed;
  for (let size = Math.ceil(best.history.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let start = 0; start < best.history.length; ) {
      const verdict = await simulate(empty, failed.seed, without(best.history, start, size));
      if (verdict.problems.length > 0) best = verdict;
      else start += size;
    }
  }
  return best;
}

/** Time passes all the same. */
function without(history: readonly Step[], start: number, size: number): readonly Step[] {
  const skippedMs = history
    .slice(start, start + size)
    .reduce((totalMs, { afterMs }) => totalMs + afterMs, 0);
  const [next, ...rest] = history.slice(start + size);
  const later = next === undefined ? [] : [{ ...next, afterMs: next.afterMs + skippedMs }, ...rest];
  return [...history.slice(0, start), ...later];
}
