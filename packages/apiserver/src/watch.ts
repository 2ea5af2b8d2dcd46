import { BoundedChannel, errorMessage, hasCode, type Timer } from '@fnlet/base';
import { failureStatus, type Status } from '@fnlet/machinery';
import type { Change } from '@fnlet/store';
import type { ApiContext } from './api-context.ts';
import type { WatchEvent } from './api-request.ts';
import { inTurns } from './in-turns.ts';
import { bookmarkIntervalMs, lastBookmarkMs, watchQueueMax, watchTimeoutMs } from './limits.ts';
import type { ListOptions } from './list-options.ts';
import { fromStore } from './object-form.ts';
import { collectionPrefix } from './object-keys.ts';
import { storedObjects } from './objects.ts';
import type { Resource } from './resource.ts';
import type { Selection } from './selection.ts';
import { futureResourceVersion } from './status-texts.ts';

interface Watch {
  readonly selection: Selection;
  readonly options: ListOptions;
  readonly signal: AbortSignal;
}

/**
 * The events of a watch: the current state first when the client asks for it, then every change
 * after it, in order and without gaps, until its time is up or `signal` aborts.
 */
export async function* watchObjects(
  context: ApiContext,
  resource: Resource,
  watch: Watch,
): AsyncGenerator<WatchEvent, void, undefined> {
  const { selection, options } = watch;
  const { resourceVersion = 0, sendInitialEvents } = options;
  const current = context.store.revision;
  if (resourceVersion > current) {
    yield { type: 'ERROR', object: futureResourceVersion(resourceVersion, current).status };
    return;
  }
  const startsWithState = sendInitialEvents ?? resourceVersion === 0;
  // State and feed of changes begin in one tick: no change falls between. The state is read as the
  // client takes it, and nothing of it stays for the hours that a watch may last.
  const state = startsWithState ? storedObjects(context, resource, selection.namespace) : [];
  const after = startsWithState || resourceVersion === 0 ? current : resourceVersion;
  const feed = openFeed(context, resource, { ...watch, after });
  try {
    for await (const object of inTurns(state)) {
      if (selection.matches(object)) yield { type: 'ADDED', object };
    }
    if (sendInitialEvents === true && options.bookmarks) {
      yield bookmark(resource, current, { 'k8s.io/initial-events-end': 'true' });
    }
    yield* feed.events;
  } catch (error) {
    if (watch.signal.aborted) return;
    yield { type: 'ERROR', object: watchFailure(after, context.store.revision, error) };
  } finally {
    feed.close();
  }
}

interface Feed {
  readonly events: AsyncIterable<WatchEvent>;
  close(): void;
}

/** Changes and bookmarks in one queue, from now until the watch's time is up. */
function openFeed(
  context: ApiContext,
  resource: Resource,
  watch: Watch & { readonly after: number },
): Feed {
  const { clock, random, store } = context;
  const { selection, options } = watch;
  const events = new BoundedChannel<WatchEvent>(watchQueueMax);
  const ended = new AbortController();
  const signal = AbortSignal.any([watch.signal, ended.signal]);
  const changes = store.watch(
    collectionPrefix(resource.strategy, selection.namespace),
    watch.after,
    signal,
  );
  void pump(changes, events, (change) => toEvent(resource, selection, change));

  const lifeMs = options.timeoutMs ?? watchTimeoutMs * (1 + random.next());
  const end = clock.after(lifeMs, () => ended.abort());
  // By the time a timer fires every committed change has been pumped, so that a bookmark never
  // runs ahead of the events before it.
  const mark = (): void => {
    events.push(bookmark(resource, store.revision));
  };
  let next: Timer | undefined;
  const markEachMinute = (): void => {
    next = clock.after(bookmarkIntervalMs, () => {
      mark();
      markEachMinute();
    });
  };
  if (options.bookmarks) markEachMinute();
  const last = options.bookmarks ? clock.after(lifeMs - lastBookmarkMs, mark) : undefined;
  return {
    events,
    close() {
      ended.abort();
      for (const timer of [end, next, last]) timer?.cancel();
    },
  };
}

async function pump(
  changes: AsyncIterable<Change>,
  events: BoundedChannel<WatchEvent>,
  toWatchEvent: (change: Change) => WatchEvent | undefined,
): Promise<void> {
  try {
    for await (const change of changes) {
      const event = toWatchEvent(change);
      if (event !== undefined && !events.push(event)) {
        events.fail(new Error('the client of a watch does not keep up'));
        return;
      }
    }
    events.close();
  } catch (error) {
    events.fail(error);
  }
}

/** What a change means to a watch: objects enter and leave its selection. */
function toEvent(resource: Resource, selection: Selection, change: Change): WatchEvent | undefined {
  const { revision, value, previous } = change;
  const object = value === undefined ? undefined : fromStore(resource, value, revision);
  // A deleted object carries the version of its deletion.
  const before = previous === undefined ? undefined : fromStore(resource, previous, revision);
  const wasIn = before !== undefined && selection.matches(before);
  if (object !== undefined && selection.matches(object)) {
    return { type: wasIn ? 'MODIFIED' : 'ADDED', object };
  }
  return wasIn ? { type: 'DELETED', object: before } : undefined;
}

function bookmark(
  resource: Resource,
  revision: number,
  annotations?: Readonly<Record<string, string>>,
): WatchEvent {
  const { kind } = resource.strategy.type;
  const resourceVersion = String(revision);
  const metadata =
    annotations === undefined ? { resourceVersion } : { resourceVersion, annotations };
  return { type: 'BOOKMARK', object: { kind, apiVersion: resource.apiVersion, metadata } };
}

function watchFailure(after: number, current: number, error: unknown): Status {
  if (hasCode(error, 'Closed')) return failureStatus('ServiceUnavailable', errorMessage(error));
  // A client that cannot keep up has to start again, like one whose start is gone.
  return failureStatus('Expired', `too old resource version: ${after} (${current})`);
}
