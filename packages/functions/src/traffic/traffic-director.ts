/**
 * Brings calls to where they should go: when the newest Revision was proven, when the spec says so,
 * when a canary comes a step further.
 *
 * I1. A Revision gets more calls only with the ready Instances for them (`planShift`); until then
 *     the others keep theirs. Away from a canary that failed calls go at once.
 * I2. A Function of which one Instance serves moves in the tick in which the new one is ready.
 * I3. A Revision that calls do not go to any more is retired in the same tick; none goes to one
 *     that is not there.
 */
import {
  defaultRollout,
  type FunctionObject,
  functionReasons,
  type RevisionObject,
} from '@fnlet/api';
import { type Clock, jsonEqual, parseDuration } from '@fnlet/base';
import type { Executor } from '@fnlet/executor';
import type { Route } from '@fnlet/gateway';
import { findCondition, formatObjectKey, type ObjectKey, objectKey } from '@fnlet/machinery';
import { limits } from '../limits.ts';
import type { Scaler } from '../scaler.ts';
import type { Canaries } from './canaries.ts';
import { type Capacity, planShift, type Shift, type Shortage } from './plan-shift.ts';
import { planTraffic } from './plan-traffic.ts';
import { percentOf, remainingShares, type ServedRevision, type Share } from './share.ts';
import type { Traffic } from './traffic.ts';

const nobody: ReadonlyMap<string, number> = new Map();

/** What keeps calls from going where they should. */
export interface Detour {
  /** Name of a Revision that is asked for and not there. */
  readonly lost?: string;
  readonly shortage?: Shortage;
  /** When it has lasted for too long. */
  readonly lateAtMs?: number;
}

interface Wait {
  readonly wanted: readonly Share[];
  readonly sinceMs: number;
}

/** Instances that are kept until demand itself tells how many are needed. */
interface Hold {
  readonly untilMs: number;
  /** What all the calls of the Function needed. */
  readonly total: number;
}

export interface TrafficDirectorOptions {
  readonly traffic: Traffic;
  readonly canaries: Pick<Canaries, 'activeOf'>;
  readonly scaler: Pick<Scaler, 'serve' | 'retire' | 'needOf'>;
  readonly executor: Pick<Executor, 'instances'>;
  readonly clock: Clock;
  /** The Revision of a Function by its name, if it is there to stay. */
  readonly find: (owner: FunctionObject, name: string) => RevisionObject | undefined;
  /** No call goes to this Revision any more. */
  readonly onLeft: (revisionId: string) => void;
}

export class TrafficDirector {
  readonly #options: TrafficDirectorOptions;
  /** By Function: the moves that wait for Instances. */
  readonly #waits = new Map<string, Wait>();
  /** By Function: what the last moves were made with. */
  readonly #holds = new Map<string, Hold>();

  constructor(options: TrafficDirectorOptions) {
    this.#options = options;
  }

  /** Whether calls of this Function wait for Instances before they move. */
  isWaiting(key: ObjectKey): boolean {
    return this.#waits.has(formatObjectKey(key));
  }

  /** When to direct again though nothing happens; `undefined` when never. */
  dueAtMs(owner: FunctionObject): number | undefined {
    const name = formatObjectKey(objectKey(owner));
    const dueAtMs = this.#waits.has(name) ? this.#lateAtMs(owner) : this.#holds.get(name)?.untilMs;
    return dueAtMs !== undefined && dueAtMs > this.#options.clock.now() ? dueAtMs : undefined;
  }

  /**
   * Moves calls to where they should go, or gets ready what is missing.
   *
   * @param urgent they go at once, whatever is missing
   */
  direct(owner: FunctionObject, { urgent = false }: { readonly urgent?: boolean } = {}): Detour {
    const { traffic, canaries } = this.#options;
    const key = objectKey(owner);
    const { latest, shares: live } = traffic.stateOf(key);
    const plan = planTraffic({
      spec: owner.spec,
      latest,
      canary: canaries.activeOf(owner),
      find: (name) => this.#find(owner, name),
    });
    if (plan.kind !== 'shares') {
      this.#waits.delete(formatObjectKey(key));
      if (plan.kind === 'lost') return this.#goOnWithout(owner, plan.revision);
      this.#settle(owner, live, this.#held(key));
      return {};
    }
    const wanted = plan.shares;
    const capacityOf = (name: string): Capacity => this.#capacityOf(owner, name);
    const { scale } = owner.spec;
    const before = this.#holdOf(key)?.total ?? 0;
    const shift = planShift({ live, wanted, capacityOf, scale, before });
    const { needs, shortage } = shift;
    if (shortage !== undefined && !urgent) return this.#wait(owner, { wanted, needs, shortage });
    this.#waits.delete(formatObjectKey(key));
    const isMoved = !jsonEqual(live, wanted);
    const reserved = isMoved ? this.#hold(key, shift) : this.#held(key);
    this.#settle(owner, wanted, reserved);
    return {};
  }

  forget(key: ObjectKey): void {
    this.#waits.delete(formatObjectKey(key));
    this.#holds.delete(formatObjectKey(key));
  }

  /**
   * Calls go on as they went, but for those of Revisions that somebody deleted: what was started
   * for such a call would be collected as garbage, and started again.
   */
  #goOnWithout(owner: FunctionObject, lost: string): Detour {
    const { traffic, find } = this.#options;
    const key = objectKey(owner);
    const isThere = (name: string): boolean => find(owner, name) !== undefined;
    const shares = remainingShares(traffic.stateOf(key).shares, isThere);
    const reserved = new Map([...this.#held(key)].filter(([name]) => isThere(name)));
    this.#settle(owner, shares, reserved, {
      reason: functionReasons.revisionNotFound,
      message: `Revision ${lost} is not there, or was never ready; traffic names it`,
    });
    return { lost };
  }

  #wait(
    owner: FunctionObject,
    move: {
      readonly wanted: readonly Share[];
      readonly needs: ReadonlyMap<string, number>;
      readonly shortage: Shortage;
    },
  ): Detour {
    const { wanted, needs, shortage } = move;
    const { traffic, clock } = this.#options;
    const key = objectKey(owner);
    const name = formatObjectKey(key);
    if (!jsonEqual(this.#waits.get(name)?.wanted, wanted)) {
      this.#waits.set(name, { wanted, sinceMs: clock.now() });
    }
    // Whoever serves meanwhile keeps what an earlier move gave it.
    const reserved = new Map([...this.#held(key), ...needs]);
    this.#settle(owner, traffic.stateOf(key).shares, reserved);
    const lateAtMs = this.#lateAtMs(owner);
    return { shortage, ...(lateAtMs === undefined ? {} : { lateAtMs }) };
  }

  #lateAtMs(owner: FunctionObject): number | undefined {
    const wait = this.#waits.get(formatObjectKey(objectKey(owner)));
    const { deadline } = owner.spec.rollout ?? defaultRollout;
    return wait === undefined ? undefined : wait.sinceMs + parseDuration(deadline);
  }

  /** Has what was waited for kept; what is only remembered is not kept for longer by that. */
  #hold(key: ObjectKey, { total, needs }: Shift): ReadonlyMap<string, number> {
    const known = this.#holdOf(key);
    const reserved = new Map([...needs].filter(([, needed]) => needed > 1));
    if (reserved.size === 0) {
      this.#holds.delete(formatObjectKey(key));
    } else if (known === undefined || total > known.total) {
      const untilMs = this.#options.clock.now() + limits.shiftHoldMs;
      this.#holds.set(formatObjectKey(key), { untilMs, total });
    }
    return reserved;
  }

  #held(key: ObjectKey): ReadonlyMap<string, number> {
    if (this.#holdOf(key) === undefined) {
      this.#holds.delete(formatObjectKey(key));
      return nobody;
    }
    // Not what a move waited for that was given up.
    const { shares, reserved } = this.#options.traffic.stateOf(key);
    return new Map([...reserved].filter(([name]) => percentOf(shares, name) > 0));
  }

  #holdOf(key: ObjectKey): Hold | undefined {
    const hold = this.#holds.get(formatObjectKey(key));
    return hold !== undefined && hold.untilMs > this.#options.clock.now() ? hold : undefined;
  }

  #settle(
    owner: FunctionObject,
    shares: readonly Share[],
    reserved: ReadonlyMap<string, number>,
    unavailable?: Route['unavailable'],
  ): void {
    const { traffic, scaler, onLeft } = this.#options;
    const left = traffic.update(owner, { shares, reserved }, unavailable);
    for (const id of traffic.revisionsOf(objectKey(owner))) scaler.serve(id);
    for (const id of left) {
      scaler.retire(id);
      onLeft(id);
    }
  }

  #capacityOf({ metadata }: FunctionObject, name: string): Capacity {
    const { executor, scaler } = this.#options;
    const id = `${metadata.namespace}/${name}`;
    const instances = executor.instances(id);
    let ready = 0;
    let present = 0;
    for (const { phase } of instances) {
      if (phase === 'ready') ready++;
      if (phase === 'ready' || phase === 'starting') present++;
    }
    return { present, ready, needed: scaler.needOf(id) };
  }

  #find(owner: FunctionObject, name: string): ServedRevision | undefined {
    const { traffic, find } = this.#options;
    const { latest, shares } = traffic.stateOf(objectKey(owner));
    const known = [latest, ...shares.map(({ revision }) => revision)];
    const served = known.find((revision) => revision?.name === name);
    const found = find(owner, name);
    if (found === undefined) return undefined;
    const isReady = findCondition(found.status?.conditions, 'Ready')?.status === 'True';
    if (served !== undefined) return served;
    return isReady ? { name, timeout: found.spec.timeout } : undefined;
  }
}
