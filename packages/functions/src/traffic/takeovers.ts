/**
 * How new Revisions take over the calls of their Functions: at once, with the Instances for them,
 * or step by step as a canary.
 *
 * I1. `latest` of a Function moves to a Revision that was proven, and with a canary not before that
 *     held all its bounds.
 * I2. Canaries that are under way share one queue; without one there is no timer.
 */
import type { FunctionObject, RevisionObject, TrafficStatus } from '@fnlet/api';
import type { Clock, Logger, Random } from '@fnlet/base';
import type { Executor } from '@fnlet/executor';
import type { Gateway } from '@fnlet/gateway';
import { type ObjectKey, objectKey } from '@fnlet/machinery';
import { type Controller, createController, type Result } from '@fnlet/reconcile';
import { limits } from '../limits.ts';
import type { Standing } from '../plan-conditions.ts';
import type { Scaler } from '../scaler.ts';
import { Canaries, type CanaryChange } from './canaries.ts';
import { canaryStatus, describeCanary } from './canary-state.ts';
import type { CanaryDecision } from './decide-canary.ts';
import type { RestoredTraffic } from './plan-restored-routes.ts';
import { describeShares, mainRevision, percentOf, type ServedRevision } from './share.ts';
import type { Traffic } from './traffic.ts';
import { type Detour, TrafficDirector } from './traffic-director.ts';

/** Fields of the status of a Function; those that are null are not there. */
export interface TrafficFields {
  readonly revision: string | null;
  readonly latestRevision: string | null;
  readonly traffic: readonly TrafficStatus[];
  readonly canary: object | null;
}

export interface TakeoversOptions {
  readonly traffic: Traffic;
  readonly scaler: Pick<Scaler, 'serve' | 'retire' | 'needOf' | 'abandon'>;
  readonly executor: Pick<Executor, 'instances'>;
  readonly gateway: Pick<Gateway, 'observe'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The Function as it is known now. */
  readonly functionOf: (key: ObjectKey) => FunctionObject | undefined;
  /** The Revision of a Function by its name, if it is there to stay. */
  readonly find: (owner: FunctionObject, name: string) => RevisionObject | undefined;
  /** No call goes to this Revision any more. */
  readonly onLeft: (revisionId: string) => void;
  /** A canary came a step further, or back. */
  readonly onCanary: (owner: FunctionObject, change: CanaryChange) => void;
}

export class Takeovers {
  /** Looks at the canaries that are under way. */
  readonly controller: Controller;
  readonly #options: TakeoversOptions;
  readonly #canaries: Canaries;
  readonly #director: TrafficDirector;

  constructor(options: TakeoversOptions) {
    const { traffic, scaler, executor, gateway, clock, random, logger, find, onLeft } = options;
    this.#options = options;
    this.#canaries = new Canaries({ gateway, clock });
    const canaries = this.#canaries;
    this.#director = new TrafficDirector({
      ...{ traffic, canaries, scaler, executor, clock, find, onLeft },
    });
    this.controller = createController({
      name: 'canaries',
      sources: [],
      reconcile: async (key) => this.#check(key),
      concurrency: limits.canaryChecksMax,
      clock,
      random,
      logger,
    });
  }

  /** Goes on where another process ended; no Instance is started for that. */
  restore(restored: readonly (readonly [FunctionObject, RestoredTraffic])[]): void {
    this.#options.traffic.restore(restored);
    for (const [owner, { canary }] of restored) {
      if (canary !== undefined) this.#canaries.restore(owner, canary);
      if (canary?.phase === 'Progressing') this.controller.enqueue(objectKey(owner));
    }
  }

  /** A Revision was proven: it takes over, or begins to. Tells whether calls go to it now. */
  onProven(owner: FunctionObject, revision: ServedRevision): boolean {
    const { traffic, scaler, onCanary } = this.#options;
    const key = objectKey(owner);
    const { latest } = traffic.stateOf(key);
    const isCanary = owner.spec.rollout?.canary !== undefined;
    if (isCanary && latest !== undefined && latest.name !== revision.name) {
      const state = this.#canaries.begin(owner, revision, latest.name);
      this.#director.direct(owner);
      onCanary(owner, { kind: 'begun', state });
      this.controller.enqueue(key);
    } else {
      this.#canaries.forget(key);
      this.#promote(owner, revision);
    }
    const id = `${key.namespace}/${revision.name}`;
    // Traffic that names other Revisions: this one has shown that it runs, and may sleep.
    if (!traffic.revisionsOf(key).includes(id)) scaler.abandon(id);
    return percentOf(traffic.stateOf(key).shares, revision.name) > 0;
  }

  /** Instances of a Function have changed: what waited for them may go on. */
  onInstances(owner: FunctionObject): void {
    if (this.#director.isWaiting(objectKey(owner))) this.#director.direct(owner);
  }

  /** Brings calls to where the Function wants them. */
  direct(owner: FunctionObject): Detour {
    const key = objectKey(owner);
    const canary = this.#canaries.stateOf(key);
    if (canary?.phase === 'Progressing') {
      if (owner.spec.rollout?.canary === undefined) this.#apply(owner, { kind: 'promote' });
      else this.controller.enqueue(key);
    }
    return this.#director.direct(owner);
  }

  /** When to direct again though nothing happens; `undefined` when never. */
  dueAtMs(owner: FunctionObject): number | undefined {
    return this.#director.dueAtMs(owner);
  }

  /**
   * Whether the Revision that a Function asks for was ready, or failed as a canary. A canary that
   * the Function does not ask for any more ends here.
   */
  settles(owner: FunctionObject, wanted: string): boolean {
    const key = objectKey(owner);
    if (this.#canaries.knows(owner, wanted)) return true;
    const isLatest = this.#options.traffic.stateOf(key).latest?.name === wanted;
    if (isLatest) this.#canaries.forget(key);
    return isLatest;
  }

  /** What there is to say about where calls go. */
  describe(owner: FunctionObject): Pick<Standing, 'served' | 'split' | 'canary'> {
    const { latest, shares } = this.#options.traffic.stateOf(objectKey(owner));
    const state = this.#canaries.stateOf(objectKey(owner));
    const isOver = state?.phase === 'RolledBack';
    const isPaused = state !== undefined && !isOver && percentOf(shares, state.revision.name) === 0;
    // What was the newest before a canary is not, though the spec may send it all calls.
    const isNewest = !(isPaused && pins(owner));
    const isWhole = latest !== undefined && isNewest && percentOf(shares, latest.name) === 100;
    return {
      served: mainRevision(shares)?.name,
      split: shares.length === 0 || isWhole ? undefined : describeShares(shares),
      canary:
        state === undefined || isPaused
          ? undefined
          : { isOver, message: describeCanary(owner.spec, state) },
    };
  }

  /** The fields of the status about where calls go; `url`: of the Function. */
  statusOf(owner: FunctionObject, url: (name: string) => string): TrafficFields {
    const { name } = owner.metadata;
    const { latest, shares } = this.#options.traffic.stateOf(objectKey(owner));
    const canary = this.#canaries.stateOf(objectKey(owner));
    const traffic = shares.map(({ revision, tag, ...share }): TrafficStatus => {
      const tagged = tag === undefined ? {} : { tag, url: url(`${tag}-${name}`) };
      return { revision: revision.name, ...share, ...tagged };
    });
    return {
      revision: mainRevision(shares)?.name ?? null,
      latestRevision: latest?.name ?? null,
      traffic,
      canary: canary === undefined ? null : canaryStatus(canary),
    };
  }

  /** Names of the Revisions that are kept because calls go to them, or may soon. */
  inUse(owner: FunctionObject): ReadonlySet<string> {
    const { latest, shares, reserved } = this.#options.traffic.stateOf(objectKey(owner));
    const { traffic = [], mirror } = owner.spec;
    const canary = this.#canaries.stateOf(objectKey(owner));
    const names = [
      latest?.name,
      canary?.revision.name,
      mirror?.revision,
      ...traffic.map(({ revision }) => revision),
      ...shares.map(({ revision }) => revision.name),
      ...reserved.keys(),
    ];
    return new Set(names.filter((name) => name !== undefined));
  }

  forget(key: ObjectKey): void {
    this.#canaries.forget(key);
    this.#director.forget(key);
  }

  #promote(owner: FunctionObject, revision: ServedRevision): void {
    this.#options.traffic.update(owner, { latest: revision });
    this.#director.direct(owner);
  }

  async #check(key: ObjectKey): Promise<Result | undefined> {
    const { traffic, functionOf } = this.#options;
    const owner = functionOf(key);
    const canary = owner === undefined ? undefined : this.#canaries.activeOf(owner);
    if (owner === undefined || canary === undefined) return undefined;
    const percent = percentOf(traffic.stateOf(key).shares, canary.revision.name);
    const isWaiting = this.#director.isWaiting(key);
    const decision = this.#canaries.check(owner, percent > 0 && !isWaiting);
    // Traffic that names other Revisions: whoever changes it has the canary looked at again.
    const isResting = percent === 0 && !isWaiting;
    if (decision === undefined || isResting) return undefined;
    if (decision.kind === 'hold') return { requeueAfterMs: decision.checkInMs };
    this.#apply(owner, decision);
    return decision.kind === 'advance' ? { requeueAfterMs: limits.canaryCheckMs } : undefined;
  }

  #apply(owner: FunctionObject, decision: CanaryDecision): void {
    const change = this.#canaries.apply(owner, decision);
    if (change === undefined) return;
    if (change.kind === 'promoted') this.#promote(owner, change.state.revision);
    else this.#director.direct(owner, { urgent: change.kind === 'rolledBack' });
    this.#options.onCanary(owner, change);
  }
}

/** Whether the spec sends no calls to the newest Revision, whichever that is. */
function pins({ spec: { traffic } }: FunctionObject): boolean {
  return traffic !== undefined && !traffic.some(({ latest, percent }) => latest && percent > 0);
}
