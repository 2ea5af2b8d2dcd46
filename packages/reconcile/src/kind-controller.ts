import { assert, type Clock, type Logger, parseDuration, type Random } from '@fnlet/base';
import type { Cache, Client } from '@fnlet/client';
import type { KubeObject, ObjectKey, ResourceType } from '@fnlet/machinery';
import {
  type BackoffWords,
  type DurationText,
  generationChanged,
  type KeyReference,
  type Kind,
  type ObjectShape,
  type Predicate,
  type View,
  type Watch,
} from '@fnlet/sdk/operator';
import { childPaths } from './apply/child-marks.ts';
import { toPrimary } from './apply/ownership.ts';
import { type Controller, createController } from './controller.ts';
import type { ControllerMetrics } from './controller-observer.ts';
import type { EventFilter } from './event-filter.ts';
import { createEventRecorder, type EventRecorder } from './event-recorder.ts';
import type { KeyOwnership } from './key-ownership.ts';
import type { ReconcileContext } from './key-run.ts';
import { operatorDeadlineMs, resyncMs, retryBaseMs, retryCapMs } from './limits.ts';
import { isPaused, pausedAnnotation } from './pause.ts';
import type { Result } from './result.ts';
import type { RetryBucketOptions } from './retry-bucket.ts';
import type { CacheLease, CacheRequest } from './shared-cache/shared-caches.ts';
import { fromCache } from './source/cache-source.ts';
import type { Source } from './source/source.ts';
import type { PaceOptions } from './work-queue.ts';

/** An object as the API gives it. */
export type Cached<T extends ObjectShape> = T & KubeObject;

/** What a run may use besides its key. */
export interface KindContext extends ReconcileContext {
  /** Its writes are in the caches at once. */
  readonly client: Client;
  /** The objects of a kind that the controller is for, owns or watches. */
  cache<C extends ObjectShape>(kind: Kind<C>): Cache<Cached<C>>;
  /** Tells people what happens to objects. */
  readonly events: Pick<EventRecorder, 'record'>;
}

/** What a run asks for when it went well; `done()` and `requeueAfter('10m')` make it. */
export interface Outcome {
  /** Run again after so long, unless an event comes first. Without it: with the next event. */
  readonly requeueAfter?: DurationText | undefined;
  readonly finalized?: boolean;
}

/** A controller of one kind, in the words of controller-runtime and kube-rs. */
export interface KindControllerOptions<T extends ObjectShape> extends PaceOptions {
  /** For logs, metrics and Events. Default: `<plural>.<group>`. */
  readonly name?: string | undefined;
  /** The kind whose objects are reconciled; a view of it says what is kept and which of them. */
  readonly for: Kind<T> | View<T>;
  /** Only in these namespaces. Default: all. */
  readonly namespaces?: readonly string[] | undefined;
  /**
   * Which of its changes are worth a run: data, or a function. Default `generationChanged`. What is
   * compared by an expression or a function must be kept.
   */
  readonly when?: Predicate | EventFilter<Cached<T>> | undefined;
  /** Kinds whose objects have one of this kind as owner: their changes concern it. */
  readonly owns?: readonly (Kind | View)[] | undefined;
  /** Other kinds that concern it, as `mapTo` says, and sources: `poll`, `channel`, `webhook`. */
  readonly watches?: readonly (Watch | Source)[] | undefined;
  /** How many keys run at once. Default 1. */
  readonly concurrency?: number | undefined;
  /** How long one run may take. Default 10s. */
  readonly deadline?: DurationText | undefined;
  /** Every object is run again after so long, give or take a tenth. Default 10h. */
  readonly resync?: DurationText | undefined;
  readonly backoff?: BackoffWords | undefined;
  /** A bound on the retries of all keys together. Default: none. */
  readonly retryBucket?: RetryBucketOptions | undefined;
  /**
   * Makes the object of this key true; safe to repeat. What it throws is tried again, with growing
   * pauses; a `terminal` error waits for the next change.
   */
  reconcile(key: ObjectKey, context: KindContext): Promise<Outcome | undefined>;
}

/** What a controller is lent by its manager. */
export interface ControllerHost {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly ownership?: KeyOwnership | undefined;
  readonly metrics?: ControllerMetrics | undefined;
  openCache<T extends KubeObject>(type: ResourceType, options?: CacheRequest<T>): CacheLease<T>;
}

/** A controller with what has to live as long as it does. */
export interface KindController {
  readonly controller: Controller;
  readonly events: EventRecorder;
  /** Gives its caches back, once it has stopped. */
  close(): void;
}

/**
 * Puts a controller together: its caches, the sources on them, and what its runs get.
 *
 * @throws ReconcileError `InvalidPredicate`, FnletError `InvalidDuration`
 */
export function createKindController<T extends ObjectShape>(
  options: KindControllerOptions<T>,
  host: ControllerHost,
): KindController {
  const { client, clock, random, logger, ownership, metrics } = host;
  const { concurrency, retryBucket, intervalMs, debounce, backoff = {} } = options;
  const primary = viewOf(options.for);
  const type = resourceType(primary.kind);
  const name = options.name ?? (type.group === '' ? type.plural : `${type.plural}.${type.group}`);
  const caches = new KindCaches(host, options.namespaces);
  const sources = openSources(options, caches);
  const objects = caches.of(primary.kind);
  const events = createEventRecorder({ client, component: name, clock, random, logger });
  const lent = { client, events, cache: <C extends ObjectShape>(of: Kind<C>) => caches.of(of) };
  const controller = createController({
    name,
    sources,
    reconcile: async (key, context) =>
      toResult(await options.reconcile(key, { ...context, ...lent })),
    isPaused: (key) => {
      const object = objects.get(key);
      return object !== undefined && isPaused(object);
    },
    deadlineMs: toMs(options.deadline, operatorDeadlineMs),
    resyncMs: toMs(options.resync, resyncMs),
    backoff: { baseMs: toMs(backoff.base, retryBaseMs), capMs: toMs(backoff.cap, retryCapMs) },
    attempts: backoff.attempts,
    observer: metrics?.observe(name),
    ...{ concurrency, retryBucket, intervalMs, debounce, ownership, clock, random, logger },
  });
  metrics?.add(controller);
  return { controller, events, close: () => caches.close() };
}

function toMs(duration: DurationText | undefined, defaultMs: number): number {
  return duration === undefined ? defaultMs : parseDuration(duration);
}

function toResult(outcome: Outcome | undefined): Result | undefined {
  const after = outcome?.requeueAfter;
  return after === undefined ? undefined : { requeueAfterMs: parseDuration(after) };
}

/** How a kind is addressed. */
function resourceType({ group, version, kind, plural, scope }: Kind): ResourceType {
  return { group, version, kind, plural, namespaced: scope === 'Namespaced' };
}

function viewOf<T extends ObjectShape>(of: Kind<T> | View<T>): View<T> {
  return 'fields' in of ? of : { ...of.keep(), fields: undefined };
}

function openSources<T extends ObjectShape>(
  { for: of, when = generationChanged, owns = [], watches = [] }: KindControllerOptions<T>,
  caches: KindCaches,
): Source[] {
  const primary = viewOf(of);
  const needed =
    typeof when === 'object' && judgesAnnotations(when) ? ['metadata.annotations'] : [];
  const objects = caches.open(primary, [pausedPath, ...needed]);
  const map = toPrimary(resourceType(primary.kind));
  const owned = owns
    .map((child) => caches.open(viewOf(child), childPaths))
    .map((cache) => fromCache(cache, { map }));
  const watched = watches.map((watch) => {
    if (!('view' in watch)) return watch;
    const cache = caches.open(watch.view, []);
    return fromCache(cache, { map: (object) => toKeys(watch.map(object), object) });
  });
  return [fromCache(objects, { predicate: when }), ...owned, ...watched];
}

const pausedPath = `metadata.annotations['${pausedAnnotation}']`;

function judgesAnnotations(predicate: Predicate): boolean {
  if (predicate.type === 'and' || predicate.type === 'or') {
    return predicate.of.some(judgesAnnotations);
  }
  if (predicate.type === 'not') return judgesAnnotations(predicate.of);
  return predicate.type === 'annotations';
}

function toKeys(found: ReturnType<Watch['map']>, about: KubeObject): ObjectKey[] {
  const references: readonly KeyReference[] =
    found === undefined ? [] : 'name' in found ? [found] : found;
  return references.map(({ name, namespace = about.metadata.namespace ?? '' }) => ({
    name,
    namespace,
  }));
}

/** The caches of one controller by kind. */
class KindCaches {
  readonly #host: ControllerHost;
  readonly #namespaces: readonly string[] | undefined;
  readonly #leases: CacheLease<KubeObject>[] = [];
  readonly #caches = new Map<string, Cache<KubeObject>>();

  constructor(host: ControllerHost, namespaces: readonly string[] | undefined) {
    this.#host = host;
    this.#namespaces = namespaces;
  }

  open<T extends ObjectShape>(
    { kind, fields, labels }: View<T>,
    needed: readonly string[],
  ): Cache<Cached<T>> {
    const type = resourceType(kind);
    const lease = this.#host.openCache<Cached<T>>(type, {
      keep: fields === undefined ? undefined : [...fields, ...needed],
      labelSelector: labels,
      namespaces: type.namespaced ? this.#namespaces : undefined,
    });
    this.#leases.push({ close: lease.close, cache: lease.cache });
    // Of several views of a kind, the first is what is read: that of `for` before that of `owns`.
    const name = kindName(kind);
    if (!this.#caches.has(name)) this.#caches.set(name, lease.cache);
    return lease.cache;
  }

  of<T extends ObjectShape>(kind: Kind<T>): Cache<Cached<T>> {
    const cache = this.#caches.get(kindName(kind));
    assert(
      cache !== undefined && isCacheOf(cache, kind),
      `a controller reads ${kind.kind} only if it is for, owns or watches it`,
    );
    return cache;
  }

  close(): void {
    for (const lease of this.#leases) lease.close();
  }
}

function kindName({ group, version, plural }: Kind): string {
  return `${group}/${version}/${plural}`;
}

function isCacheOf<T extends ObjectShape>(
  cache: Cache<KubeObject>,
  kind: Kind<T>,
): cache is Cache<Cached<T>> {
  return cache.type.group === kind.group && cache.type.kind === kind.kind;
}
