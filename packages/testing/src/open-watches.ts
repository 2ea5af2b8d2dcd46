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
    let broken: Error | undefined;
    let interrupt: (error: Error) => void = () => {};
    const cut = (): void => {
      broken = interrupted(seen.path);
      interrupt(broken);
    };
    const watch = { seen, cut };
    this.#open.add(watch);
    const source = documents[Symbol.asyncIterator]();
    try {
      for (;;) {
        // A race with one promise for the whole watch would keep every document of it.
        const next = await new Promise<IteratorResult<T>>((resolve, reject) => {
          interrupt = reject;
          if (broken === undefined) source.next().then(resolve, reject);
          else reject(broken);
        });
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
