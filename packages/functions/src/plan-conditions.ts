import {
  type FunctionReason,
  functionConditions,
  functionReasons,
  type SourceStatus,
} from '@fnlet/api';
import type { ConditionUpdate } from '@fnlet/machinery';
import type { RolloutFailure } from './rollout-failure.ts';
import type { RolloutState } from './rollout-state.ts';
import type { SourceTrouble } from './source/resolved-source.ts';

/** Where a Function stands. */
export interface Standing {
  /** Name of the Revision that calls go to. */
  readonly served: string | undefined;
  /** Whether it is the one that the Function asks for now. */
  readonly isNewest: boolean;
  readonly rollout: RolloutState | undefined;
  /** What keeps the newest Revision from being planned. */
  readonly blocked: Blocked | undefined;
  /** What the source was found to be, and why it may be something else by now. */
  readonly source: {
    readonly found?: SourceStatus | undefined;
    readonly trouble?: SourceTrouble | undefined;
  };
  /** What its author should know though it runs: its runtime is retired. */
  readonly warning: string | undefined;
  /** Why the Revision that serves has no Instance that is ready, though it should. */
  readonly trouble: RolloutFailure | undefined;
}

/** What a Function needs and does not have. */
export interface Blocked {
  readonly reason: FunctionReason;
  readonly message: string;
}

type Statement = Omit<ConditionUpdate, 'type'> & {
  readonly reason: FunctionReason;
  readonly message: string;
};

/**
 * What the status says about the newest generation: `Ready` is about the newest code, `RoutesReady`
 * about whether anything answers.
 */
export function planConditions(standing: Standing): readonly ConditionUpdate[] {
  const { source, dependencies, ready } = describeProgress(standing);
  return [
    { type: functionConditions.ready, ...ready },
    { type: functionConditions.source, ...source },
    { type: functionConditions.dependencies, ...dependencies },
    { type: functionConditions.routes, ...describeRoutes(standing) },
  ];
}

interface Progress {
  readonly source: Statement;
  readonly dependencies: Statement;
  readonly ready: Statement;
}

function describeProgress(standing: Standing): Progress {
  const { isNewest, rollout, blocked, warning, trouble } = standing;
  const stored = describeSource(standing.source);
  if (blocked !== undefined) {
    const { reason, message } = blocked;
    const isComing = reason === functionReasons.preparing;
    const failed = isComing ? unknown(reason, message) : no(reason, message);
    return { source: failed, dependencies: waiting, ready: failed };
  }
  if (isNewest) {
    const ready =
      trouble === undefined
        ? yes(['The newest code serves', warning].filter(Boolean).join('. '))
        : no(trouble.reason, trouble.message);
    return { source: stored, dependencies: installed, ready };
  }
  switch (rollout?.phase) {
    case 'failed':
      return describeFailure(rollout.failure, stored);
    case 'starting': {
      const ready = unknown(
        functionReasons.starting,
        `The first Instance of Revision ${rollout.revision} is starting`,
      );
      return { source: stored, dependencies: installed, ready };
    }
    default: {
      const text = rollout?.progress ?? 'Source and dependencies are being stored';
      const preparing = unknown(functionReasons.preparing, text);
      return { source: preparing, dependencies: preparing, ready: preparing };
    }
  }
}

function describeSource({ found, trouble }: Standing['source']): Statement {
  const commit = found?.commit?.slice(0, shownDigits);
  const at = found?.reference === undefined ? '' : ` (${found.reference.slice(0, 60)})`;
  const what = commit === undefined ? 'The archive' : `Commit ${commit}${at}`;
  if (trouble !== undefined) {
    return no(trouble.reason, `${what} is used on, since it may have changed: ${trouble.message}`);
  }
  if (commit !== undefined) return yes(`${what} is stored`);
  if (found?.digest === undefined) return yes('The source is stored');
  return yes(`${what} sha256:${found.digest} is stored`);
}

/** As git shortens commits for people. */
const shownDigits = 10;

function describeFailure({ step, reason, message }: RolloutFailure, stored: Statement): Progress {
  const failed = no(reason, message);
  switch (step) {
    case 'source':
      return { source: failed, dependencies: waiting, ready: failed };
    case 'dependencies':
      return { source: stored, dependencies: failed, ready: failed };
    case 'load':
      return { source: stored, dependencies: installed, ready: failed };
  }
}

function describeRoutes({ served, isNewest, trouble }: Standing): Statement {
  if (served === undefined) {
    return no(functionReasons.noRevision, 'Nothing serves yet: no Revision was ready so far');
  }
  if (trouble !== undefined) return no(trouble.reason, trouble.message);
  if (isNewest) return yes(`Calls go to Revision ${served}`);
  return {
    status: 'True',
    reason: functionReasons.previousRevision,
    message: `Calls go to Revision ${served} until the newest is ready`,
  };
}

function yes(message: string): Statement {
  return { status: 'True', reason: functionReasons.ready, message };
}

function no(reason: FunctionReason, message: string): Statement {
  return { status: 'False', reason, message };
}

function unknown(reason: FunctionReason, message: string): Statement {
  return { status: 'Unknown', reason, message };
}

const installed: Statement = yes('No dependency is missing');

const waiting: Statement = unknown(functionReasons.preparing, 'Waits for the source');
