import { errorMessage, hasCode } from '@fnlet/base';
import { failureStatus, type Status } from '@fnlet/machinery';
import {
  type EventForm,
  eventForm,
  type Presentation,
  presentEvent,
} from '../answer/presentation.ts';
import { futureResourceVersion } from '../answer/status-texts.ts';
import type { ApiContext } from '../api-context.ts';
import {
  bookmarkIntervalMs,
  initialEventsMax,
  lastBookmarkMs,
  watchQueueMax,
  watchTimeoutMs,
} from '../limits.ts';
import { inTurns } from '../object/in-turns.ts';
import type { KeptObject } from '../object/kept-object.ts';
import { collectionPrefix } from '../object/object-keys.ts';
import { keptObjects } from '../object/objects.ts';
import type { Selection } from '../object/selection.ts';
import type { ApiRequest, WatchEvent } from '../request/api-request.ts';
import type { EventBatches, EventFlow, EventReader } from '../request/event-batches.ts';
import type { ListOptions } from '../request/list-options.ts';
import type { Resource } from '../resource/resource.ts';
import type { Waiter } from './deadlines.ts';
import { EventDocument } from './event-document.ts';
import { EventQueue } from './event-queue.ts';
import type { FanOut } from './fan-out.ts';
import type { FeedWatcher } from './kind-feed.ts';
import { objectEvent, SharedChange } from './shared-change.ts';

/** What a watch asks for. */
export interface WatchRequest {
  readonly selection: Selection;
  readonly options: ListOptions;
  readonly presentation: Presentation;
  /** Who asks; the signal is not touched by who closes the flow himself. */
  readonly caller: Pick<ApiRequest, 'signal'>;
}

type Batch = readonly EventDocument[];
type Next = IteratorResult<Batch, undefined>;
type Past = AsyncGenerator<Batch, void, undefined>;

/**
 * The events of a watch, as many at once as are there: the current state first when the client asks
 * for it, then every change after it, in order and without gaps, until its time is up, the reader
 * leaves, or the signal of a caller who iterates aborts. It begins with the first call of `next`, or
 * with `flow`.
 */
export function watchObjects(
  context: ApiContext,
  resource: Resource,
  request: WatchRequest,
): AsyncIterable<Batch> & Pick<EventBatches, 'flow'> {
  return new Watch(context, resource, request);
}

/**
 * One watch. What came before it is read as the client takes it, and nothing of that stays for the
 * hours that it may last.
 *
 * I1. State, history and live events begin in one tick: no change falls between.
 * I2. Whatever changes after that moment waits in `#events`, in order, and bookmarks among it: a
 *     bookmark never runs ahead of the events before it.
 */
class Watch
  implements FeedWatcher, Waiter, EventBatches, EventFlow, AsyncIterator<Batch, undefined>
{
  readonly selection: Selection;
  readonly #context: ApiContext;
  readonly #resource: Resource;
  readonly #events: EventQueue<EventDocument>;
  readonly #laterForm: EventForm;
  #nextForm: EventForm;
  /** Until it begins: it holds all of what the client sent. */
  #request: WatchRequest | undefined;
  #stopObeying: (() => void) | undefined;
  #isOver = false;
  #resumePast: (() => void) | undefined;
  #past: Past | undefined;
  #endMs = never;
  #lastMarkMs = never;
  #nextMarkMs = never;
  /** The first of these. */
  #dueMs = never;
  /** The revision that it starts after. */
  #after = 0;

  constructor(context: ApiContext, resource: Resource, request: WatchRequest) {
    this.selection = request.selection;
    this.#context = context;
    this.#resource = resource;
    this.#request = request;
    this.#events = new EventQueue(watchQueueMax, context.feeds.fanOut);
    this.#laterForm = eventForm(request.presentation, false);
    const first = eventForm(request.presentation, true);
    this.#nextForm = first.key === this.#laterForm.key ? this.#laterForm : first;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Next> {
    if (this.#request !== undefined) this.#obey(this.#begin(this.#request).caller.signal);
    return this.#past === undefined ? this.#events.next() : this.#nextPast(this.#past);
  }

  return(): Promise<Next> {
    this.close();
    return Promise.resolve({ value: undefined, done: true });
  }

  flow(reader: EventReader, fanOut: FanOut): EventFlow {
    if (this.#request !== undefined) this.#begin(this.#request);
    void this.#handOver(reader, fanOut);
    return this;
  }

  resume(): void {
    this.#resumePast?.();
    this.#events.resume();
  }

  #begin(request: WatchRequest): WatchRequest {
    this.#request = undefined;
    const { resourceVersion = 0, sendInitialEvents } = request.options;
    const current = this.#context.store.revision;
    if (resourceVersion > current) {
      this.#events.end(failure(futureResourceVersion(resourceVersion, current).status));
      return request;
    }
    const startsWithState = sendInitialEvents ?? resourceVersion === 0;
    this.#after = startsWithState || resourceVersion === 0 ? current : resourceVersion;
    this.#past = startsWithState
      ? this.#state(current, request.options)
      : this.#history(this.#after);
    this.#startTimes(request.options);
    this.#context.feeds.join(this.#resource, this);
    return request;
  }

  #obey(signal: AbortSignal): void {
    const onAbort = (): void => this.close();
    signal.addEventListener('abort', onAbort, { once: true });
    this.#stopObeying = () => signal.removeEventListener('abort', onAbort);
    if (signal.aborted) this.close();
  }

  /** All that came before, as the reader takes it; then what comes. */
  async #handOver(reader: EventReader, fanOut: FanOut): Promise<void> {
    try {
      for await (const batch of this.#past ?? []) {
        if (this.#isOver) break;
        if (reader.take(batch)) continue;
        await new Promise<void>((resolve) => {
          this.#resumePast = resolve;
        });
      }
    } catch (error) {
      this.#fail(error);
    }
    this.#past = undefined;
    this.#resumePast = undefined;
    this.#events.follow(reader, fanOut);
  }

  async #nextPast(past: Past): Promise<Next> {
    try {
      const next = await past.next();
      if (next.done !== true) return next;
    } catch (error) {
      this.#fail(error);
    }
    this.#past = undefined;
    return this.#events.next();
  }

  changed(change: SharedChange): void {
    const document = this.#show(change);
    if (document === undefined || this.#events.push(document)) return;
    this.#fail(new Error('the client of a watch does not keep up'));
  }

  ended(error: Error): void {
    this.#fail(error);
  }

  close(): void {
    this.#end();
  }

  #fail(error: unknown): void {
    this.#end(failure(failureOf(this.#after, this.#context.store.revision, error)));
  }

  #end(last?: EventDocument): void {
    this.#isOver = true;
    this.#events.end(last);
    this.#stopObeying?.();
    this.#resumePast?.();
    this.#context.feeds.leave(this.#resource, this);
    this.#context.feeds.deadlines.delete(this.#dueMs, this);
  }

  /** The state at the moment of the call, as additions, and where the client wants it, a mark. */
  #state(current: number, { sendInitialEvents, bookmarks }: ListOptions): Past {
    const { namespace } = this.selection;
    const objects = keptObjects(this.#context, this.#resource, namespace);
    const isMarked = sendInitialEvents === true && bookmarks;
    return this.#additions(objects, isMarked ? current : undefined);
  }

  async *#additions(objects: Iterable<KeptObject>, markedAt: number | undefined): Past {
    const { isNarrow, matches } = this.selection;
    let batch: EventDocument[] = [];
    for await (const kept of inTurns(objects)) {
      if (this.#isOver) return;
      if (isNarrow && !matches(kept.value)) continue;
      batch.push(objectEvent(this.#form(), 'ADDED', kept));
      if (batch.length < initialEventsMax) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
    if (markedAt !== undefined) yield [this.#bookmark(markedAt, endOfState)];
  }

  /** The changes after a revision and up to the moment of the call. */
  #history(after: number): Past {
    const prefix = collectionPrefix(this.#resource.strategy, this.selection.namespace);
    return this.#replay(this.#context.store.history(prefix, after));
  }

  async *#replay(changes: ReturnType<ApiContext['store']['history']>): Past {
    for await (const change of changes) {
      if (this.#isOver) return;
      const document = this.#show(new SharedChange(this.#resource, change));
      if (document !== undefined) yield [document];
    }
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

  #startTimes({ timeoutMs, bookmarks }: ListOptions): void {
    const { clock, random } = this.#context;
    const nowMs = Math.ceil(clock.monotonicMs());
    const lifeMs = Math.ceil(timeoutMs ?? watchTimeoutMs * (1 + random.next()));
    this.#endMs = nowMs + lifeMs;
    if (bookmarks) {
      this.#lastMarkMs = nowMs + Math.max(0, lifeMs - lastBookmarkMs);
      this.#nextMarkMs = nowMs + bookmarkIntervalMs;
    }
    this.#wait();
  }

  #wait(): void {
    this.#dueMs = Math.min(this.#endMs, this.#lastMarkMs, this.#nextMarkMs);
    this.#context.feeds.deadlines.add(this.#dueMs, this);
  }

  due(): void {
    if (this.#dueMs === this.#endMs) {
      this.close();
      return;
    }
    this.#mark();
    if (this.#dueMs === this.#lastMarkMs) this.#lastMarkMs = never;
    else this.#nextMarkMs = Math.ceil(this.#context.clock.monotonicMs()) + bookmarkIntervalMs;
    this.#wait();
  }

  #mark(): void {
    this.#events.push(this.#bookmark(this.#context.store.revision));
  }

  #bookmark(revision: number, annotations?: Readonly<Record<string, string>>): EventDocument {
    const { strategy, apiVersion } = this.#resource;
    const resourceVersion = String(revision);
    const metadata =
      annotations === undefined ? { resourceVersion } : { resourceVersion, annotations };
    const object = { kind: strategy.type.kind, apiVersion, metadata };
    const form = this.#form();
    return new EventDocument({ value: () => presentEvent(form, { type: 'BOOKMARK', object }) });
  }
}

const never = Number.POSITIVE_INFINITY;
const endOfState = { 'k8s.io/initial-events-end': 'true' } as const;

function failure(object: Status): EventDocument {
  const event: WatchEvent = { type: 'ERROR', object };
  return new EventDocument({ value: () => event });
}

function failureOf(after: number, current: number, error: unknown): Status {
  if (hasCode(error, 'Closed')) return failureStatus('ServiceUnavailable', errorMessage(error));
  // A client that cannot keep up has to start again, like one whose start is gone.
  return failureStatus('Expired', `too old resource version: ${after} (${current})`);
}
