import type { Clock, Logger, Random } from '@fnlet/base';
import { parseDuration } from '@fnlet/base';
import {
  type KubeObject,
  type ObjectKey,
  objectKey,
  parseApiVersion,
  type ResourceType,
} from '@fnlet/machinery';
import {
  generationChanged,
  type KeyReference,
  type Operator,
  type Watch,
} from '@fnlet/sdk/operator';
import type { BreakerOptions } from '../apply/breaker.ts';
import { createChildWriter } from '../apply/child-writer.ts';
import { toPrimary } from '../apply/ownership.ts';
import { createStatusApplier } from '../apply/status-applier.ts';
import { type Controller, createController } from '../controller.ts';
import type { ControllerMetrics } from '../controller-observer.ts';
import type { EventRecorder } from '../event-recorder.ts';
import { createFinalizer } from '../finalizer.ts';
import type { KeyOwnership } from '../key-ownership.ts';
import { operatorDeadlineMs, resyncMs } from '../limits.ts';
import type { Manager } from '../manager.ts';
import { isPaused } from '../pause.ts';
import { fromCache } from '../source/cache-source.ts';
import type { Source } from '../source/source.ts';
import { type DeclaredCaches, declareCaches, type OwnedCache } from './declared-caches.ts';
import { kindName, resourceTypeOf } from './kind-type.ts';
import { OperatorRun } from './operator-run.ts';
import { StatusKeeper } from './status-keeper.ts';

export interface OperatorControllerOptions {
  readonly operator: Operator;
  /**
   * Whose caches and client it shares. The client's field manager owns what is applied, so it must
   * stay the same.
   */
  readonly manager: Pick<Manager, 'cache' | 'client'>;
  readonly events: Pick<EventRecorder, 'record'>;
  /** When writes to a child count as a fight with somebody else. */
  readonly breaker?: BreakerOptions | undefined;
  /** Which objects are this replica's. Default: all. */
  readonly ownership?: KeyOwnership | undefined;
  readonly metrics?: ControllerMetrics | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/**
 * The controller that runs an operator: it hears of changes, asks the operator's functions what is
 * wanted, and writes what differs.
 *
 * @throws FnletError for an operator that says what cannot be, such as a duration that is none
 */
export function createOperatorController(options: OperatorControllerOptions): Controller {
  const { operator, manager, events, ownership, metrics, clock, random, logger } = options;
  const { name, concurrency, backoff = {}, deadline, resync } = operator;
  // What two operators apply is told apart by their names.
  const client = manager.client.as(name);
  const caches = declareCaches(operator, manager);
  const finalizer = `fnlet.dev/${name}`;
  const types = typesOf(operator);
  const primaries = client.of<KubeObject>(resourceTypeOf(operator.for));
  const run = new OperatorRun({
    operator,
    caches,
    client,
    children: createChildWriter({
      client,
      typeOf: (apiVersion, kind) => {
        return types.get(kindName({ group: parseApiVersion(apiVersion).group, kind }));
      },
      isPartial: inKinds(caches.owned.filter(({ isWhole }) => !isWhole)),
      // Other replicas write at the same time, and what they write is seen a little later.
      isComplete: inKinds(caches.owned.filter((kind) => kind.isOfAll && ownership === undefined)),
      breaker: options.breaker,
      finalizer,
      isAlive: async (primary, signal) => {
        const live = await primaries.tryGet(objectKey(primary), { signal });
        const isSame = live?.metadata.uid === primary.metadata.uid;
        return isSame && live?.metadata.deletionTimestamp === undefined;
      },
      clock,
    }),
    status: new StatusKeeper(
      createStatusApplier({ client: primaries, fieldManager: client.fieldManager, clock }),
    ),
    finalizer: createFinalizer({ client: primaries, name: finalizer }),
    events,
    metrics,
    clock,
  });
  const controller = createController({
    name,
    sources: [
      ...sourcesOf(operator, caches, finalizer),
      ...caches.owned.map(({ cache }) => run.blocked.source(cache)),
      forgetting(caches, run),
    ],
    reconcile: (key, context) => run.run(key, context),
    concurrency,
    deadlineMs: deadline === undefined ? operatorDeadlineMs : parseDuration(deadline),
    resyncMs: resync === undefined ? resyncMs : parseDuration(resync),
    backoff: {
      baseMs: parseDuration(backoff.base ?? '5ms'),
      capMs: parseDuration(backoff.cap ?? '1000s'),
    },
    attempts: backoff.attempts,
    isPaused: (key) => {
      const primary = caches.primaries.get(key);
      return primary !== undefined && isPaused(primary);
    },
    ownership,
    observer: metrics?.observe(name),
    clock,
    random,
    logger,
  });
  metrics?.add(controller);
  return controller;
}

function sourcesOf(operator: Operator, caches: DeclaredCaches, finalizer: string): Source[] {
  const { when = generationChanged } = operator;
  const primary = resourceTypeOf(operator.for);
  return [
    fromCache(caches.primaries, { predicate: when, finalizer }),
    ...caches.owned.map(({ cache }) => fromCache(cache, { map: toPrimary(primary) })),
    ...caches.watched.map(({ watch, cache }) => fromCache(cache, { map: mapOf(watch, primary) })),
  ];
}

function mapOf({ map }: Watch, { namespaced }: ResourceType): (object: KubeObject) => ObjectKey[] {
  return (object) => {
    const home = namespaced ? (object.metadata.namespace ?? '') : '';
    const keyOf = ({ name, namespace = home }: KeyReference): ObjectKey => ({ name, namespace });
    return [map(object) ?? []].flat().map(keyOf);
  };
}

/** Enqueues nothing: it lets go of what is remembered of objects that are gone. */
function forgetting({ primaries }: DeclaredCaches, run: OperatorRun): Source {
  return {
    synced: primaries.synced,
    start: () =>
      primaries.subscribe((event) => {
        if (event.kind === 'deleted') run.forget(event.object.metadata.uid ?? '');
      }),
  };
}

function typesOf(operator: Operator): ReadonlyMap<string, ResourceType> {
  const kinds = (operator.owns ?? []).map((owned) => ('plural' in owned ? owned : owned.kind));
  return new Map(kinds.map((kind) => [kindName(kind), resourceTypeOf(kind)]));
}

function inKinds(owned: readonly OwnedCache[]): (object: KubeObject) => boolean {
  const names = new Set(owned.map(({ kind }) => kindName(kind)));
  return ({ apiVersion, kind }) =>
    names.has(kindName({ group: parseApiVersion(apiVersion).group, kind }));
}
