import { type CanaryStatus, type FunctionSpec, resolveCanary } from '@fnlet/api';
import { canonicalJson, sha256 } from '@fnlet/base';
import { toKubeTime } from '@fnlet/machinery';
import type { ServedRevision } from './share.ts';

/** How far a new Revision has come that takes over step by step. */
export interface CanaryState {
  readonly phase: CanaryStatus['phase'];
  readonly revision: ServedRevision;
  /** Name of the Revision that it takes over from. */
  readonly stable: string;
  /** Index of the step that it is at. */
  readonly step: number;
  /** When the step began, or it was rolled back. */
  readonly sinceMs: number;
  /** See {@link canaryDigest}. */
  readonly digest: string;
  /** Why it was rolled back. */
  readonly message?: string;
}

/** Tells whether a canary was tried as the spec asks for it now. */
export function canaryDigest({ rollout }: Pick<FunctionSpec, 'rollout'>): string {
  return sha256(canonicalJson(rollout?.canary ?? null)).slice(0, 10);
}

/** The part of the newest Revision's calls that a canary gets; `undefined` when it gets none. */
export function canaryPercent(
  { rollout }: Pick<FunctionSpec, 'rollout'>,
  state: CanaryState | undefined,
): number | undefined {
  if (state?.phase !== 'Progressing' || rollout?.canary === undefined) return undefined;
  const { steps } = resolveCanary(rollout.canary);
  return steps[Math.min(state.step, steps.length - 1)];
}

/** The canary in words: what it gets, or why it gets nothing any more. */
export function describeCanary(spec: Pick<FunctionSpec, 'rollout'>, state: CanaryState): string {
  const { revision, stable, step, message } = state;
  if (state.phase === 'RolledBack') {
    return `Revision ${revision.name} was rolled back to ${stable}: ${message}`;
  }
  const percent = canaryPercent(spec, state) ?? 100;
  const steps = spec.rollout?.canary?.steps.length ?? 1;
  return `Revision ${revision.name} gets ${percent} % of the calls, step ${step + 1} of ${steps}`;
}

/** As the status of the Function has it: all that another process needs to go on. */
export function canaryStatus(
  state: CanaryState,
): CanaryStatus & { readonly message: string | null };
export function canaryStatus({ revision, step, sinceMs, message, ...state }: CanaryState): object {
  return {
    phase: state.phase,
    revision: revision.name,
    stable: state.stable,
    step: step + 1,
    since: toKubeTime(sinceMs),
    digest: state.digest,
    // A merge patch removes what is null, and only that.
    message: message ?? null,
  };
}
