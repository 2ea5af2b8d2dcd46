import { BoundedChannel, errorMessage, hasCode, type Timer } from '@fnlet/base';
import { failureStatus, type Status } from '@fnlet/machinery';
import type { ApiContext } from '../api-context.ts';
import type { WatchEvent } from '../api-request.ts';
import { inTurns } from '../in-turns.ts';
import type { KeptObject } from '../kept-object.ts';
import {
  bookmarkIntervalMs,
  initialEventsMax,
  lastBookmarkMs,
  watchQueueMax,
  watchTimeoutMs,
} from '../limits.ts';
import type { ListOptions } from '../list-options.ts';
import { collectionPrefix } from '../object-keys.ts';
import { keptObjects } from '../objects.ts';
import { type EventForm, eventForm, type Presentation, presentEvent } from '../presentation.ts';
import type { Resource } from '../resource.ts';
import type { Selection } from '../selection.ts';
import { futureResourceVersion } from '../status-texts.ts';
import { EventDocument } from './event-document.ts';
import type { FeedWatcher } from './kind-feed.ts';
import { objectEvent, SharedChange } from './shared-change.ts';

/** What a watch asks for. */
export interface WatchRequest {
  readonly selection: Selection;
  readonly options: ListOptions;
  readonly presentation: Presentation;
  readonly signal: AbortSignal;
}

type Batches = AsyncGenerator<readonly EventDocument[], void, undefined>;

/**
 * The events of a watch, as many at once as are there: the current state first when the client asks
 * for it, then every change after it, in order and without gaps, until its time is up or `signal`
 * aborts.
 */
export async function* watchObjects(
  context: ApiContext,
  resource: Resource,
  request: WatchRequest,
): Batches {
  const { options, signal } = request;
  const { resourceVersion = 0, sendInitialEvents } = options;
  const current = context.store.revision;
  if (resourceVersion > current) {
    yield [failure(futureResourceVersion(resourceVersion, current).status)];
    return;
  }
  const startsWithState = sendInitialEvents ?? resourceVersion === 0;
  const after = startsWithState || resourceVersion === 0 ? current : resourceVersion;
  // State, history and live events begin in one tick: no change falls between. What came before is
  // read as the client takes it, and nothing of it stays for the hours that a watch may last.
  const watch = new Watch(context, resource, request);
  const past = startsWithState ? watch.state() : watch.history(after);
  try {
    yield* past;
    if (sendInitialEvents === true && options.bookmarks) {
      yield [watch.bookmark(current, { 'k8s.io/initial-events-end': 'true' })];
    }
    yield* watch.live();
  } catch (error) {
    if (signal.aborted) return;
    yield [failure(failureOf(after, context.store.revision, error))];
  } finally {
    watch.close();
  }
}

/**
 * One watch from the moment that it is made.
 *
 * I1. Whatever changes after that moment waits in `#events`, in order, and bookmarks among it: a
 *     bookmark never runs ahead of the events before it.
 */
class Watch implements FeedWatcher {
  readonly selection: Selection;
  readonly #context: ApiContext;
  readonly #resource: Resource;
  readonly #events = new BoundedChannel<EventDocument>(watchQueueMax);
  readonly #leaveFeed: () => void;
  readonly #signal: AbortSignal;
  readonly #laterForm: EventForm;
  #nextForm: EventForm;
  readonly #onAbort = (): void => this.#events.close();
  #timers: readonly Timer[];
  #nextMark: Timer | undefined;

  constructor(context: ApiContext, resource: Resource, request: WatchRequest) {
    const { selection, options, presentation, signal } = request;
    this.selection = selection;
    this.#context = context;
    this.#resource = resource;
    this.#signal = signal;
    this.#nextForm = eventForm(presentation, true);
    this.#laterForm = eventForm(presentation, false);
    this.#leaveFeed = context.feeds.of(resource).join(this);
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (signal.aborted) this.#onAbort();
    const lifeMs = options.timeoutMs ?? watchTimeoutMs * (1 + context.random.next());
    this.#timers = [context.clock.after(lifeMs, () => this.#events.close())];
    if (!options.bookmarks) return;
    const last = context.clock.after(lifeMs - lastBookmarkMs, () => this.#mark());
    this.#timers = [...this.#timers, last];
    this.#markEachMinute();
  }

  changed(change: SharedChange): void {
    const document = this.#show(change);
    if (document !== undefined && !this.#events.push(document)) {
      this.#events.fail(new Error('the client of a watch does not keep up'));
    }
  }

  ended(error: Error): void {
    this.#events.fail(error);
  }

  /** The state at the moment of the call, as additions. */
  state(): Batches {
    const { namespace } = this.selection;
    return this.#additions(keptObjects(this.#context, this.#resource, namespace));
  }

  async *#additions(objects: Iterable<KeptObject>): Batches {
    const { isNarrow, matches } = this.selection;
    let batch: EventDocument[] = [];
    for await (const kept of inTurns(objects)) {
      if (this.#signal.aborted) return;
      if (isNarrow && !matches(kept.value)) continue;
      batch.push(objectEvent(this.#form(), 'ADDED', kept));
      if (batch.length < initialEventsMax) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }

  /** The changes after a revision and up to the moment of the call. */
  history(after: number): Batches {
    const prefix = collectionPrefix(this.#resource.strategy, this.selection.namespace);
    return this.#past(this.#context.store.history(prefix, after));
  }

  async *#past(changes: ReturnType<ApiContext['store']['history']>): Batches {
    for await (const change of changes) {
      if (this.#signal.aborted) return;
      const document = this.#show(new SharedChange(this.#resource, change));
      if (document !== undefined) yield [document];
    }
  }

  live(): Batches {
    return this.#events.batches();
  }

  bookmark(revision: number, annotations?: Readonly<Record<string, string>>): EventDocument {
    const { strategy, apiVersion } = this.#resource;
    const resourceVersion = String(revision);
    const metadata =
      annotations === undefined ? { resourceVersion } : { resourceVersion, annotations };
    const object = { kind: strategy.type.kind, apiVersion, metadata };
    const form = this.#form();
    return new EventDocument({ value: () => presentEvent(form, { type: 'BOOKMARK', object }) });
  }

  #show(change: SharedChange): EventDocument | undefined {
    const document = change.show(this.selection, this.#nextForm);
    if (document !== undefined) this.#nextForm = this.#laterForm;
    return document;
  }

  #form(): EventForm {
    const form = this.#nextForm;
    this.#nextForm = this.#laterForm;
    return form;
  }

  #mark(): void {
    this.#events.push(this.bookmark(this.#context.store.revision));
  }

  #markEachMinute(): void {
    this.#nextMark = this.#context.clock.after(bookmarkIntervalMs, () => {
      this.#mark();
      this.#markEachMinute();
    });
  }

  close(): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#leaveFeed();
    for (const timer of this.#timers) timer.cancel();
    this.#nextMark?.cancel();
  }
}

function failure(object: Status): EventDocument {
  const event: WatchEvent = { type: 'ERROR', object };
  return new EventDocument({ value: () => event });
}

function failureOf(after: number, current: number, error: unknown): Status {
  if (hasCode(error, 'Closed')) return failureStatus('ServiceUnavailable', errorMessage(error));
  // A client that cannot keep up has to start again, like one whose start is gone.
  return failureStatus('Expired', `too old resource version: ${after} (${current})`);
}
