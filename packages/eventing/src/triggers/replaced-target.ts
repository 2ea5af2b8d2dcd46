/** A target whose newest event counts alone: what is under way is given up when another comes. */
import type { DeliveryAnswer, EventTarget } from '../delivery/event-target.ts';

export interface ReplacedTarget extends EventTarget {
  /** A newer event came. */
  replace(): void;
}

const replaced: DeliveryAnswer = {
  status: 0,
  headers: {},
  body: new Uint8Array(),
  trouble: 'A newer event took its place',
  isReplaced: true,
};

export function createReplacedTarget(target: EventTarget): ReplacedTarget {
  let current = new AbortController();
  return {
    async deliver(attempt, signal) {
      const { signal: replacing } = current;
      const answer = await target.deliver(attempt, AbortSignal.any([signal, replacing]));
      return replacing.aborted ? replaced : answer;
    },
    replace() {
      current.abort();
      current = new AbortController();
    },
  };
}
