import {
  type FunctionReason,
  functionConditions,
  functionReasons,
  type SourceStatus,
} from '@fnlet/api';
import type { Obstacle } from '@fnlet/executor';
import type { ConditionUpdate } from '@fnlet/machinery';
import type { RolloutFailure } from './rollout-failure.ts';
import type { RolloutState } from './rollout-state.ts';
import type { SourceTrouble } from './source/resolved-source.ts';
import type { Detour } from './traffic/traffic-director.ts';

/** Where a Function stands. */
export interface Standing {
  /** Name of the Revision that calls go to, or most of them. */
  readonly served: string | undefined;
  /** Whether the Revision that the Function asks for now was ready. */
  readonly isProven: boolean;
  /** Where calls go, in words; `undefined` when all go to the newest Revision. */
  readonly split: string | undefined;
  /** How that takes over, step by step, or why it does not any more. */
  readonly canary: { readonly isOver: boolean; readonly message: string } | undefined;
  /** What keeps calls from going where they should. */
  readonly detour: Detour;
  /** Why the Instances do not come that are missing, where that is known. */
  readonly cause: string | undefined;
  /** Whether that has lasted for too long. */
  readonly isLate: boolean;
  readonly rollout: RolloutState | undefined;
  /** What keeps the first Instance of the newest Revision from starting. */
  readonly obstacle?: Obstacle | undefined;
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
  const { isProven, rollout, blocked, obstacle } = standing;
  const stored = describeSource(standing.source);
  if (blocked !== undefined) {
    const { reason, message } = blocked;
    const isComing = reason === functionReasons.preparing;
    const failed = isComing ? unknown(reason, message) : no(reason, message);
    return { source: failed, dependencies: waiting, ready: failed };
  }
  if (isProven) {
    return { source: stored, dependencies: installed, ready: describeTakeover(standing) };
  }
  switch (rollout?.phase) {
    case 'failed':
      return describeFailure(rollout.failure, stored);
    case 'starting': {
      const text = `The first Instance of Revision ${rollout.revision} is starting`;
      const ready =
        obstacle === undefined
          ? unknown(functionReasons.starting, text)
          : no(obstacle.reason, obstacle.message);
      return { source: stored, dependencies: installed, ready };
    }
    default: {
      const text = rollout?.progress ?? 'Source and dependencies are being stored';
      const preparing = unknown(functionReasons.preparing, text);
      return { source: preparing, dependencies: preparing, ready: preparing };
    }
  }
}

/** How far calls go where the newest generation wants them. */
function describeTakeover(standing: Standing): Statement {
  const { trouble, canary, detour, cause, isLate, split, warning } = standing;
  const { lost, shortage } = detour;
  if (trouble !== undefined) return no(trouble.reason, trouble.message);
  if (canary?.isOver === true) return no(functionReasons.canaryFailed, canary.message);
  if (lost !== undefined) {
    const message = `Revision ${lost} is not there, or was never ready; traffic names it`;
    return no(functionReasons.revisionNotFound, message);
  }
  if (shortage !== undefined) {
    const { revision, ready, needed } = shortage;
    const message =
      `Revision ${revision} has ${ready} of the ${needed} Instances that its part of the calls ` +
      `needs; it gets that then${cause === undefined ? '' : `. ${cause}`}`;
    const { instancesMissing } = functionReasons;
    return isLate ? no(instancesMissing, message) : unknown(instancesMissing, message);
  }
  if (canary !== undefined) return unknown(functionReasons.canary, canary.message);
  const what = split === undefined ? 'The newest code serves' : 'Calls go where spec.traffic says';
  return yes([what, warning].filter(Boolean).join('. '));
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

function describeRoutes({ served, split, isProven, trouble }: Standing): Statement {
  if (served === undefined) {
    return no(functionReasons.noRevision, 'Nothing serves yet: no Revision was ready so far');
  }
  if (trouble !== undefined) return no(trouble.reason, trouble.message);
  if (split !== undefined) {
    const message = `Calls go ${split}`;
    return { status: 'True', reason: functionReasons.trafficSplit, message };
  }
  if (isProven) return yes(`Calls go to Revision ${served}`);
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
