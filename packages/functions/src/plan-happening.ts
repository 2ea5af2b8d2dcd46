import type { FunctionSpec, SourceStatus } from '@fnlet/api';
import type { InstanceEvent } from '@fnlet/executor';
import type { Happening } from '@fnlet/reconcile';
import { instanceFailure } from './rollout-failure.ts';
import type { RolloutChange } from './rollouts.ts';
import type { ScalingNews } from './scaler.ts';
import type { SourceNews } from './source/source-tracker.ts';
import type { CanaryChange } from './traffic/canaries.ts';
import { describeCanary } from './traffic/canary-state.ts';

/** The Event that a step of a rollout is worth, if any. */
export function planRolloutHappening({ before, after }: RolloutChange): Happening | undefined {
  const { revision } = after;
  const wasInstalling = before.phase === 'preparing' && tellsOfInstalling(before.progress);
  switch (after.phase) {
    case 'preparing': {
      const message = `Installing the dependencies of Revision ${revision}`;
      const isInstalling = tellsOfInstalling(after.progress) && !wasInstalling;
      return isInstalling ? { type: 'Normal', reason: 'Installing', message } : undefined;
    }
    case 'starting': {
      const message = `Installed the dependencies of Revision ${revision}`;
      return wasInstalling ? { type: 'Normal', reason: 'Installed', message } : undefined;
    }
    case 'failed': {
      const { reason, message } = after.failure;
      return { type: 'Warning', reason, message: `Revision ${revision}: ${message}` };
    }
  }
}

// Sources and runtimes are fetched before anything is installed, and say so.
function tellsOfInstalling(progress: string | undefined): boolean {
  return progress !== undefined && !progress.startsWith('Fetching ');
}

/** The Event of a source that is another one now, or that nobody can be asked about. */
export function planSourceHappening({ before, after, trouble }: SourceNews): Happening | undefined {
  if (trouble !== undefined) return { type: 'Warning', ...trouble };
  const what = describe(after);
  const was = describe(before);
  if (what === undefined || what === was) return undefined;
  const message = was === undefined ? `Found ${what}` : `Found ${what} in place of ${was}`;
  return { type: 'Normal', reason: 'SourceFound', message };
}

function describe({ commit, digest }: SourceStatus = {}): string | undefined {
  if (commit !== undefined) return `commit ${commit}`;
  return digest === undefined ? undefined : `archive sha256:${digest}`;
}

/** The Event of a Revision that is ready; `isServed`: calls go to it from now on. */
export function planProvenHappening(
  revision: string,
  tookMs: number,
  isServed: boolean,
): Happening {
  const ready = `Revision ${revision} was ready after ${Math.round(tookMs)} ms`;
  const message = isServed ? `${ready}; calls go to it` : ready;
  return { type: 'Normal', reason: 'RevisionReady', message };
}

/** The Event of a step of a canary. */
export function planCanaryHappening({ kind, state }: CanaryChange, spec: FunctionSpec): Happening {
  const { revision, stable, message = '' } = state;
  switch (kind) {
    case 'begun':
    case 'advanced': {
      const reason = kind === 'begun' ? 'CanaryStarted' : 'CanaryAdvanced';
      return { type: 'Normal', reason, message: describeCanary(spec, state) };
    }
    case 'promoted': {
      const text = `Revision ${revision.name} takes over from ${stable}: it held all bounds`;
      return { type: 'Normal', reason: 'CanaryPromoted', message: text };
    }
    case 'rolledBack': {
      const text = `Revision ${revision.name} was rolled back to ${stable}: ${message}`;
      return { type: 'Warning', reason: 'CanaryRolledBack', message: text };
    }
  }
}

/** The Event of a Function whose runtime is retired, though it runs. */
export function planRetiredHappening(warning: string): Happening {
  return { type: 'Warning', reason: 'RetiredRuntime', message: warning };
}

/**
 * The Event that something about an Instance is worth, if any: that its process ended, told as a
 * rollout that fails of it is, and what keeps it from starting.
 */
export function planInstanceHappening({ kind, instance }: InstanceEvent): Happening | undefined {
  const isCrash = kind === 'crashed';
  const what = isCrash ? instanceFailure(instance) : instance.obstacle;
  if (what === undefined || (!isCrash && kind !== 'obstructed')) return undefined;
  const { reason, message } = what;
  const { revision } = instance.revision;
  return { type: 'Warning', reason, message: `Revision ${revision}: ${message}` };
}

/** The Event of a change in scale. */
export function planScalingHappening({
  revision,
  from,
  to,
  reason,
}: Omit<ScalingNews, 'isWoken' | 'cause'>): Happening {
  const kind = to === 0 ? 'ScaledToZero' : to > from ? 'ScaledUp' : 'ScaledDown';
  const message = `Scaled Revision ${revision.revision} from ${from} to ${to}: ${reason}`;
  return { type: 'Normal', reason: kind, message };
}
