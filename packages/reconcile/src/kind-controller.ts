import { assert, type Clock, type Logger, parseDuration, type Random } from '@fnlet/base';
import type { Cache, Client } from '@fnlet/client';
import type { KubeObject, ObjectKey, ResourceType } from '@fnlet/machinery';
import {
  type DurationText,
  generationChanged,
  type Kind,
  type ObjectShape,
  type Predicate,
  type View,
  viewOf,
  type Watch,
} from '@fnlet/sdk/operator';
import { type Controller, createController } from './controller.ts';
import type { ControllerMetrics } from './controller-observer.ts';
import type { EventFilter } from './event-filter.ts';
import { createEventRecorder, type EventRecorder } from './event-recorder.ts';
import type { KeyOwnership } from './key-ownership.ts';
import type { ReconcileContext } from './key-run.ts';
import { type ControllerClient, ControllerClients } from './operator/controller-client.ts';
import { type DeclaredCaches, declareCaches } from './operator/declared-caches.ts';
import { declaredChildren } from './operator/declared-children.ts';
import { declaredSources } from './operator/declared-sources.ts';
import { forgetting } from './operator/forgetting.ts';
import { resourceTypeOf } from './operator/kind-type.ts';
import { type RunTermsText, runTerms } from './operator/run-terms.ts';
import { pausedAnnotation } from './pause.ts';
import type { Result } from './result.ts';
import type { RetryBucketOptions } from './retry-bucket.ts';
import type { CacheLease, CacheRequest } from './shared-cache/shared-caches.ts';
import type { Source } from './source/source.ts';
import type { PaceOptions } from './work-queue.ts';

/** An object as the API gives it. */
export type Cached<T extends ObjectShape> = T & KubeObject;

/** What a run may use besides its key. */
export interface KindContext extends ReconcileContext {
  /** Its writes are in the caches at once; their fields are owned under the controller's name. */
  readonly client: ControllerClient;
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
export interface KindControllerOptions<T extends ObjectShape> extends PaceOptions, RunTermsText {
  /** For logs, metrics, Events and field ownership. Default: `<plural>.<group>`. */
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
  /** Gives its caches back, once it has stopped; its metrics go. */
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
  const { clock, random, logger, ownership, metrics } = host;
  const { retryBucket, intervalMs, debounce, when = generationChanged, watches = [] } = options;
  const { group, plural } = viewOf(options.for).kind;
  const name = options.name ?? (group === '' ? plural : `${plural}.${group}`);
  const client = host.client.as(name);
  const leases: Pick<CacheLease<KubeObject>, 'close'>[] = [];
  const caches = openCaches(options, { name, host, leases });
  const children = declaredChildren(caches, {
    ...{ client, clock, isShared: ownership !== undefined },
  });
  const clients = new ControllerClients({ client, caches, children, clock });
  const events = createEventRecorder({ client, component: name, clock, random, logger });
  const controller = createController({
    name,
    sources: [
      ...declaredSources(caches, { when }),
      ...watches.filter(isSource),
      forgetting(caches.primaries, clients),
    ],
    async reconcile(key, context) {
      const cache = <C extends ObjectShape>(of: Kind<C>): Cache<Cached<C>> => cacheOf(caches, of);
      const lent = { client: clients.forRun(context), events, cache };
      return toResult(await options.reconcile(key, { ...context, ...lent }));
    },
    ...runTerms(options, caches.primaries),
    observer: metrics?.observe(name),
    ...{ retryBucket, intervalMs, debounce, ownership, clock, random, logger },
  });
  metrics?.add(controller);
  const close = (): void => {
    metrics?.remove(controller);
    for (const lease of leases) lease.close();
  };
  return { controller, events, close };
}

function toResult(outcome: Outcome | undefined): Result | undefined {
  const after = outcome?.requeueAfter;
  return after === undefined ? undefined : { requeueAfterMs: parseDuration(after) };
}

function openCaches<T extends ObjectShape>(
  { for: of, when, namespaces = [], owns = [], watches = [] }: KindControllerOptions<T>,
  {
    name,
    host,
    leases,
  }: {
    readonly name: string;
    readonly host: ControllerHost;
    readonly leases: Pick<CacheLease<KubeObject>, 'close'>[];
  },
): DeclaredCaches<Cached<T>> {
  const view = viewOf(of);
  const needed =
    typeof when === 'object' && judgesAnnotations(when) ? ['metadata.annotations'] : [];
  const declared = {
    name,
    ...(namespaces.length === 0 ? {} : { namespaces }),
    for: view.fields === undefined ? view : view.keep(pausedPath, ...needed),
    owns,
    watches: watches.filter(isWatch),
  };
  return declareCaches(declared, {
    cache<C extends KubeObject>(type: ResourceType, request?: CacheRequest<C>): Cache<C> {
      const { cache, close } = host.openCache(type, request);
      leases.push({ close });
      return cache;
    },
  });
}

const pausedPath = `metadata.annotations['${pausedAnnotation}']`;

function isWatch(watch: Watch | Source): watch is Watch {
  return 'view' in watch;
}

function isSource(watch: Watch | Source): watch is Source {
  return !isWatch(watch);
}

function judgesAnnotations(predicate: Predicate): boolean {
  if (predicate.type === 'and' || predicate.type === 'or') {
    return predicate.of.some(judgesAnnotations);
  }
  if (predicate.type === 'not') return judgesAnnotations(predicate.of);
  return predicate.type === 'annotations';
}

/** The cache of a kind: of several views of it, that of `for`, then that of `owns`. */
function cacheOf<C extends ObjectShape>(
  { primaries, owned, watched }: DeclaredCaches,
  kind: Kind<C>,
): Cache<Cached<C>> {
  const all = [primaries, ...[...owned, ...watched].map(({ cache }) => cache)];
  const found = all.find((cache) => isCacheOf(cache, kind));
  assert(
    found !== undefined && isCacheOf(found, kind),
    `a controller reads ${kind.kind} only if it is for, owns or watches it`,
  );
  return found;
}

function isCacheOf<T extends ObjectShape>(
  cache: Cache<KubeObject>,
  kind: Kind<T>,
): cache is Cache<Cached<T>> {
  const { group, version, plural } = resourceTypeOf(kind);
  const { type } = cache;
  return type.group === group && type.version === version && type.plural === plural;
}
