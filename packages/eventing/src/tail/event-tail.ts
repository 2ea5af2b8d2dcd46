/**
 * What happens to events in this process, for people who watch.
 *
 * I1. While nobody watches, it costs nobody anything.
 * I2. Who reads slowly keeps nobody back: what finds no room is left out, and is told as a number.
 */
import { BoundedChannel, FnletError } from '@fnlet/base';
import {
  type EventHappening,
  formatHappening,
  isWanted,
  type TailQuery,
} from './event-happening.ts';
import { tailLimits } from './limits.ts';

interface Watcher {
  readonly query: TailQuery;
  readonly lines: BoundedChannel<string>;
  bytes: number;
  missed: number;
}

export class EventTail {
  readonly #watchers = new Set<Watcher>();

  /** Whether anybody wants to be told. */
  get isWatched(): boolean {
    return this.#watchers.size > 0;
  }

  tell(happening: EventHappening): void {
    for (const watcher of this.#watchers) {
      if (!isWanted(watcher.query, happening)) continue;
      const line = formatHappening(happening, watcher.query.withData);
      const hasRoom = watcher.bytes + line.length <= tailLimits.waitingBytesMax;
      if (hasRoom && watcher.lines.push(line)) watcher.bytes += line.length;
      else watcher.missed++;
    }
  }

  /**
   * What happens from now on, in lines of JSON, several at once where several wait, until `signal`
   * aborts. A line `{"missed": n}` stands for what was left out.
   *
   * @throws FnletError `TooMany`
   */
  watch(query: TailQuery, signal: AbortSignal): AsyncIterable<string> {
    if (this.#watchers.size >= tailLimits.watchersMax) {
      const found = `found ${this.#watchers.size} who do`;
      const message = `Cannot watch events: ${found}, expected less than ${tailLimits.watchersMax}`;
      throw new FnletError('TooMany', message);
    }
    const lines = new BoundedChannel<string>(tailLimits.waitingMax);
    const watcher: Watcher = { query, lines, bytes: 0, missed: 0 };
    this.#watchers.add(watcher);
    const stop = (): void => {
      this.#watchers.delete(watcher);
      lines.close();
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    return this.#read(watcher);
  }

  async *#read(watcher: Watcher): AsyncGenerator<string, void, undefined> {
    try {
      for await (const batch of watcher.lines.batches()) {
        watcher.bytes = 0;
        const { missed } = watcher;
        watcher.missed = 0;
        yield missed === 0 ? batch.join('') : `${batch.join('')}{"missed":${missed}}\n`;
      }
    } finally {
      this.#watchers.delete(watcher);
    }
  }
}
