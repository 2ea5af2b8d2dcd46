import { interrupted } from './fault-answer.ts';
import type { WatchCutter } from './fault-switches.ts';
import type { SeenRequest } from './seen-request.ts';

interface OpenWatch {
  readonly seen: SeenRequest;
  cut(): void;
}

/** The watches that clients have open, so that they can be broken. */
export class OpenWatches implements WatchCutter {
  readonly #open = new Set<OpenWatch>();

  cut(isMeant: (seen: SeenRequest) => boolean): number {
    const meant = [...this.#open].filter(({ seen }) => isMeant(seen));
    for (const watch of meant) watch.cut();
    return meant.length;
  }

  /** The documents of a watch, until it ends or is cut; then its reader meets a reset. */
  async *follow<T>(seen: SeenRequest, documents: AsyncIterable<T>): AsyncGenerator<T> {
    const broken = Promise.withResolvers<never>();
    broken.promise.catch(() => {}); // Mostly nobody cuts it.
    const watch = { seen, cut: () => broken.reject(interrupted(seen.path)) };
    this.#open.add(watch);
    const source = documents[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await Promise.race([source.next(), broken.promise]);
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      this.#open.delete(watch);
      // Not awaited: a silent source answers only when its signal aborts.
      void source.return?.();
    }
  }
}
