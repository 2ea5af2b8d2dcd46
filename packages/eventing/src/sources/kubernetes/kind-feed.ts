/**
 * One watch of one kind, for all Triggers that follow it.
 *
 * I1. Each follower gets every change after its position, in order, or is told that these are not
 *     known any more.
 * I2. There is a watch while there is a follower, and never more than one.
 */
import {
  BoundedChannel,
  backoffDelayMs,
  type Clock,
  errorMessage,
  type Logger,
  type Random,
  sleep,
} from '@fnlet/base';
import { isOlderVersion, type ResourceClient, type WatchEvent } from '@fnlet/client';
import { type KubeObject, StatusError } from '@fnlet/machinery';
import { kubernetesLimits } from './limits.ts';

/** What a follower is told. */
export type FeedNews =
  | { readonly kind: 'changed'; readonly object: KubeObject; readonly isDeleted: boolean }
  /** Nothing else happened up to this version. */
  | { readonly kind: 'progressed'; readonly resourceVersion: string }
  /** What came after its position is not known any more: it has to look for itself. */
  | { readonly kind: 'expired' }
  /** The watch failed, and is opened again. */
  | { readonly kind: 'troubled'; readonly message: string };

export interface KindFeedOptions {
  readonly client: ResourceClient<KubeObject>;
  readonly metadataOnly: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

interface Follower {
  /** What it has been told of. */
  position: string;
  readonly news: BoundedChannel<FeedNews>;
}

export class KindFeed {
  readonly #options: KindFeedOptions;
  readonly #followers = new Set<Follower>();
  #watch: AbortController | undefined;
  #position = '';

  constructor(options: KindFeedOptions) {
    this.#options = options;
  }

  /** The changes after this version, until `signal` aborts or the follower is told of the end. */
  async *follow(position: string, signal: AbortSignal): AsyncGenerator<FeedNews, void, undefined> {
    const news = new BoundedChannel<FeedNews>(kubernetesLimits.waitingMax);
    const follower: Follower = { position, news };
    const stop = (): void => news.close();
    signal.addEventListener('abort', stop);
    this.#followers.add(follower);
    this.#begin(position);
    try {
      for await (const each of news) {
        if (signal.aborted) return;
        yield each;
      }
    } finally {
      signal.removeEventListener('abort', stop);
      this.#followers.delete(follower);
      if (this.#followers.size === 0) this.#watch?.abort();
    }
  }

  /** Watches, from so early on that the new follower misses nothing. */
  #begin(position: string): void {
    if (this.#watch !== undefined && !this.#watch.signal.aborted) {
      if (!isOlderVersion(position, this.#position)) return;
      this.#watch.abort();
    }
    const watch = new AbortController();
    this.#watch = watch;
    this.#position = [...this.#followers].reduce(
      (oldest, each) => (isOlderVersion(each.position, oldest) ? each.position : oldest),
      position,
    );
    void this.#run(watch.signal).finally(() => {
      if (this.#watch === watch) this.#watch = undefined;
    });
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    const { retryBaseMs: baseMs, retryCapMs: capMs } = kubernetesLimits;
    for (let failures = 0; !signal.aborted; ) {
      const before = this.#position;
      try {
        await this.#watchOnce(signal);
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof StatusError && error.status.code === 410) this.#expire();
        else this.#tell(error);
        failures = this.#position === before ? failures + 1 : 1;
        if (this.#followers.size === 0) return;
        const delayMs = backoffDelayMs(failures, { baseMs, capMs, jitter: 0.5 }, random);
        await sleep(clock, delayMs, signal);
      }
    }
  }

  async #watchOnce(signal: AbortSignal): Promise<void> {
    const { client, metadataOnly, clock } = this.#options;
    const { watchSeconds: timeoutSeconds, watchGraceMs } = kubernetesLimits;
    const silent = new AbortController();
    const timer = clock.after(timeoutSeconds * 1000 + watchGraceMs, () => silent.abort());
    try {
      const events = client.watch({
        resourceVersion: this.#position,
        ...{ metadataOnly, timeoutSeconds },
        signal: AbortSignal.any([signal, silent.signal]),
      });
      for await (const event of events) {
        if (signal.aborted) return;
        this.#pass(event);
      }
    } finally {
      timer.cancel();
    }
  }

  #pass(event: WatchEvent<KubeObject>): void {
    if (event.type === 'BOOKMARK') {
      const { resourceVersion } = event;
      this.#position = resourceVersion;
      for (const follower of this.#followers) {
        this.#send(follower, { kind: 'progressed', resourceVersion }, resourceVersion);
      }
      return;
    }
    const { object } = event;
    const { resourceVersion = '' } = object.metadata;
    const isDeleted = event.type === 'DELETED';
    this.#position = resourceVersion;
    for (const follower of this.#followers) {
      this.#send(follower, { kind: 'changed', object, isDeleted }, resourceVersion);
    }
  }

  /** One that does not keep up begins again where it was. */
  #send(follower: Follower, news: FeedNews, resourceVersion: string): void {
    if (!isOlderVersion(follower.position, resourceVersion)) return;
    follower.position = resourceVersion;
    if (follower.news.push(news)) return;
    this.#followers.delete(follower);
    follower.news.fail(new Error('Changes come faster than they are kept'));
  }

  /** Those who stand where the watch began have to look for themselves; others go on. */
  #expire(): void {
    for (const follower of this.#followers) {
      this.#followers.delete(follower);
      if (!follower.news.push({ kind: 'expired' })) follower.news.fail(new Error('Too slow'));
      follower.news.close();
    }
  }

  #tell(error: unknown): void {
    const { client, logger } = this.#options;
    const message = isGone(error)
      ? `The API serves ${client.type.plural} no more; they are looked for again`
      : errorMessage(error);
    logger.warn('A watch has failed and is opened again', {
      resource: client.type.plural,
      error: message,
    });
    for (const { news } of this.#followers) news.push({ kind: 'troubled', message });
  }
}

/** Its definition was deleted, or serves another version. */
function isGone(error: unknown): boolean {
  return error instanceof StatusError && error.status.code === 404;
}
