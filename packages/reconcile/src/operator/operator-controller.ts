import type { Clock, Logger, Random } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { generationChanged, type Operator } from '@fnlet/sdk/operator';
import type { BreakerOptions } from '../apply/breaker.ts';
import { createStatusApplier } from '../apply/status-applier.ts';
import { type Controller, createController } from '../controller.ts';
import type { ControllerMetrics } from '../controller-observer.ts';
import type { EventRecorder } from '../event-recorder.ts';
import { createFinalizer } from '../finalizer.ts';
import type { KeyOwnership } from '../key-ownership.ts';
import type { Manager } from '../manager.ts';
import { type DeclaredCaches, declareCaches } from './declared-caches.ts';
import { declaredChildren } from './declared-children.ts';
import { declaredSources } from './declared-sources.ts';
import { forgetting } from './forgetting.ts';
import { resourceTypeOf } from './kind-type.ts';
import { OperatorRun, type RunObserver } from './operator-run.ts';
import { overruledStatuses } from './overruled-statuses.ts';
import { runTerms } from './run-terms.ts';
import { StatusKeeper } from './status-keeper.ts';

export interface OperatorControllerOptions {
  readonly operator: Operator;
  /**
   * Whose caches and client it shares. The client's field manager owns what is applied, so it must
   * stay the same.
   */
  readonly manager: Pick<Manager, 'cache' | 'client'>;
  readonly events: Pick<EventRecorder, 'record'>;
  /** What it looks at, where somebody else looks, too. Default: declared from the manager. */
  readonly caches?: DeclaredCaches | undefined;
  readonly observer?: RunObserver | undefined;
  /** When writes to a child count as a fight with somebody else. */
  readonly breaker?: BreakerOptions | undefined;
  /** Which objects are this replica's. Default: all. */
  readonly ownership?: KeyOwnership | undefined;
  /**
   * Whether other replicas write children at the same time, which caches show a little later.
   * Default: where there is an ownership.
   */
  readonly isShared?: boolean | undefined;
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
  const { name, when = generationChanged } = operator;
  // What two operators apply is told apart by their names.
  const client = manager.client.as(name);
  const { caches = declareCaches(operator, manager), isShared = ownership !== undefined } = options;
  const finalizer = `fnlet.dev/${name}`;
  const primaries = client.of<KubeObject>(resourceTypeOf(operator.for));
  const status = new StatusKeeper(
    createStatusApplier({
      ...{ client: primaries, fieldManager: client.fieldManager, clock },
      isOwnKind: 'crd' in operator.for,
    }),
    primaries,
    client.fieldManager,
  );
  const run = new OperatorRun({
    operator,
    caches,
    client,
    children: declaredChildren(caches, {
      ...{ client, isShared, finalizer, clock },
      breaker: options.breaker,
    }),
    status,
    finalizer: createFinalizer({ client: primaries, name: finalizer }),
    events,
    metrics,
    observer: options.observer,
    clock,
  });
  const controller = createController({
    name,
    sources: [
      ...declaredSources(caches, { when, finalizer }),
      ...caches.owned.map(({ cache }) => run.blocked.source(cache)),
      overruledStatuses(caches.primaries, status),
      forgetting(caches.primaries, run),
    ],
    reconcile: (key, context) => run.run(key, context),
    ...runTerms(operator, caches.primaries),
    ownership,
    observer: metrics?.observe(name),
    clock,
    random,
    logger,
  });
  metrics?.add(controller);
  return controller;
}
