/**
 * Keys that the program itself names: from a queue it reads, a callback, another controller.
 *
 * I1. A key that is pushed while nobody listens waits, once, and is told to the first who does.
 * I2. At most `channelKeysMax` keys wait: what does not fit is refused, so that whoever pushes knows.
 */
import { formatObjectKey, type ObjectKey } from '@fnlet/machinery';
import { channelKeysMax } from '../limits.ts';
import type { Enqueue, Source } from './source.ts';

export interface Channel extends Source {
  /** Asks for a run of the key; false when nobody listens and too many keys wait already. */
  push(key: ObjectKey): boolean;
}

/** An empty channel. */
export function channel(): Channel {
  const waiting = new Map<string, ObjectKey>();
  const listeners = new Set<Enqueue>();
  return {
    synced: Promise.resolve(),
    push(key) {
      for (const enqueue of listeners) enqueue(key);
      if (listeners.size > 0) return true;
      const name = formatObjectKey(key);
      if (waiting.size >= channelKeysMax && !waiting.has(name)) return false;
      waiting.set(name, key);
      return true;
    },
    start(enqueue) {
      listeners.add(enqueue);
      for (const key of waiting.values()) enqueue(key);
      waiting.clear();
      return () => {
        listeners.delete(enqueue);
      };
    },
  };
}
