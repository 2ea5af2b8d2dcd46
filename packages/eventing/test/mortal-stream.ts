/** A stream as a process sees it that may be killed: nothing it began comes back to it then. */
import { type Clock, type Random, randomInt } from '@fnlet/base';
import type { LogConsumer, LogStream } from '@fnlet/store/log';

export interface Mortality {
  readonly clock: Clock;
  readonly random: Random;
  /** How long a write takes at most, before it happens and after. */
  readonly writeMs: number;
  readonly isAlive: () => boolean;
}

/** When the process ends during a write, it may have happened or not. */
export function mortalStream(stream: LogStream, mortality: Mortality): LogStream {
  const { clock, random, writeMs, isAlive } = mortality;
  const pause = async (): Promise<void> => {
    const ms = randomInt(random, writeMs + 1);
    if (ms > 0) await new Promise<void>((resolve) => void clock.after(ms, resolve));
    if (!isAlive()) await dead;
  };
  const write = async <Result>(action: () => Promise<Result>): Promise<Result> => {
    await pause();
    const result = await action();
    await pause();
    return result;
  };
  return {
    name: stream.name,
    appendBytesMax: stream.appendBytesMax,
    append: (entries, options) => write(() => stream.append(entries, options)),
    read: async (from, options) => {
      const records = await stream.read(from, options);
      if (!isAlive()) await dead;
      return records;
    },
    subscribe: (listener) =>
      stream.subscribe(() => {
        if (isAlive()) listener();
      }),
    size: () => stream.size(),
    remove: (sequences) => write(() => stream.remove(sequences)),
    trim: (before) => write(() => stream.trim(before)),
    consumer: async (name): Promise<LogConsumer> => {
      const consumer = await stream.consumer(name);
      return {
        cursor: consumer.cursor,
        outstanding: () => consumer.outstanding(),
        commit: (change) => write(() => consumer.commit(change)),
      };
    },
    consumers: () => stream.consumers(),
    removeConsumer: (name) => stream.removeConsumer(name),
  };
}

/** What a process that was killed waits for. */
export const dead: Promise<never> = new Promise(() => {});
