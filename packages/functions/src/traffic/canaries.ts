/**
 * The canaries that are under way, or were rolled back: at most one per Function.
 *
 * I1. What is known here stands in the status of the Function, too, so that another process goes on
 *     with it. What was observed does not: after a restart a step begins anew.
 * I2. A Revision that was rolled back stays so until the spec asks for another one, or for another
 *     canary.
 */
import { type FunctionObject, resolveCanary } from '@fnlet/api';
import type { Clock } from '@fnlet/base';
import { type Gateway, nothingObserved, type Observation, observationSince } from '@fnlet/gateway';
import { formatObjectKey, type ObjectKey, objectKey } from '@fnlet/machinery';
import { limits } from '../limits.ts';
import { type CanaryState, canaryDigest, canaryPercent } from './canary-state.ts';
import { type CanaryDecision, decideCanary } from './decide-canary.ts';
import type { ServedRevision } from './share.ts';

/** What changed about a canary. */
export interface CanaryChange {
  readonly kind: 'begun' | 'advanced' | 'promoted' | 'rolledBack';
  /** After the change; of one that was promoted, before. */
  readonly state: CanaryState;
}

interface Canary {
  readonly state: CanaryState;
  /** Set once it has the share of its step. */
  readonly measured: { readonly sinceMs: number; readonly before: Observation } | undefined;
}

export class Canaries {
  readonly #gateway: Pick<Gateway, 'observe'>;
  readonly #clock: Clock;
  readonly #byFunction = new Map<string, Canary>();

  constructor(options: { readonly gateway: Pick<Gateway, 'observe'>; readonly clock: Clock }) {
    this.#gateway = options.gateway;
    this.#clock = options.clock;
  }

  stateOf(key: ObjectKey): CanaryState | undefined {
    return this.#byFunction.get(formatObjectKey(key))?.state;
  }

  /** The one that gets a part of the calls now, and how much of them. */
  activeOf(
    owner: FunctionObject,
  ): { readonly revision: ServedRevision; readonly percent: number } | undefined {
    const state = this.stateOf(objectKey(owner));
    const percent = canaryPercent(owner.spec, state);
    return state === undefined || percent === undefined
      ? undefined
      : { revision: state.revision, percent };
  }

  /** Whether this Revision is tried, or was tried as the spec asks for it. */
  knows(owner: FunctionObject, revision: string): boolean {
    const state = this.stateOf(objectKey(owner));
    if (state?.revision.name !== revision) return false;
    return state.phase === 'Progressing' || state.digest === canaryDigest(owner.spec);
  }

  /** Begins with a Revision that takes over from `stable`, in place of whatever was tried. */
  begin(owner: FunctionObject, revision: ServedRevision, stable: string): CanaryState {
    const state: CanaryState = {
      phase: 'Progressing',
      revision,
      stable,
      step: 0,
      sinceMs: this.#clock.now(),
      digest: canaryDigest(owner.spec),
    };
    this.#set(owner, state);
    return state;
  }

  /** Goes on with what the status of a Function says. */
  restore(owner: FunctionObject, state: CanaryState): void {
    this.#set(owner, state);
  }

  forget(key: ObjectKey): void {
    this.#byFunction.delete(formatObjectKey(key));
  }

  /**
   * Judges the canary of a Function, if one is under way.
   *
   * @param isServed whether it has the share of its step
   */
  check(owner: FunctionObject, isServed: boolean): CanaryDecision | undefined {
    const canary = this.#byFunction.get(formatObjectKey(objectKey(owner)));
    if (canary?.state.phase !== 'Progressing') return undefined;
    const { rollout } = owner.spec;
    if (rollout?.canary === undefined) return undefined;
    const { state } = canary;
    const now = this.#clock.now();
    const id = `${owner.metadata.namespace}/${state.revision.name}`;
    const observed = this.#gateway.observe(id) ?? nothingObserved;
    if (!isServed || canary.measured === undefined) {
      const measured = isServed ? { sinceMs: now, before: observed } : undefined;
      this.#byFunction.set(formatObjectKey(objectKey(owner)), { state, measured });
      return { kind: 'hold', checkInMs: limits.canaryCheckMs };
    }
    const { sinceMs, before } = canary.measured;
    const spec = resolveCanary(rollout.canary);
    const observation = observationSince(before, observed);
    return decideCanary({ spec, step: state.step, sinceMs, observation, now });
  }

  /** Takes a decision over; returns what changed by it. */
  apply(owner: FunctionObject, decision: CanaryDecision): CanaryChange | undefined {
    const key = objectKey(owner);
    const before = this.stateOf(key);
    if (before === undefined || decision.kind === 'hold') return undefined;
    const sinceMs = this.#clock.now();
    switch (decision.kind) {
      case 'promote':
        this.forget(key);
        return { kind: 'promoted', state: before };
      case 'advance':
        return {
          kind: 'advanced',
          state: this.#set(owner, { ...before, step: decision.step, sinceMs }),
        };
      case 'rollBack': {
        const { message } = decision;
        const digest = canaryDigest(owner.spec);
        const state: CanaryState = { ...before, phase: 'RolledBack', sinceMs, digest, message };
        return { kind: 'rolledBack', state: this.#set(owner, state) };
      }
    }
  }

  #set(owner: FunctionObject, state: CanaryState): CanaryState {
    this.#byFunction.set(formatObjectKey(objectKey(owner)), { state, measured: undefined });
    return state;
  }
}
