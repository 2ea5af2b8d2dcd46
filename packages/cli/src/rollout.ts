import {
  type FunctionObject,
  functionConditions,
  functionReasons,
  resolveRuntime,
  type TrafficTarget,
} from '@fnlet/api';
import { type Clock, hasCode, sleep } from '@fnlet/base';
import { type Condition, findCondition, type ObjectKey } from '@fnlet/machinery';
import type { CliContext } from './cli-context.ts';
import { CliError } from './cli-error.ts';
import type { Connection } from './connection.ts';
import { exitCodes } from './exit-codes.ts';

/** Where a Function is on the way from applied to ready. */
export type Rollout =
  | {
      readonly kind: 'ready';
      readonly url: string;
      /** What its author should know though it runs. */
      readonly warning?: string;
    }
  | { readonly kind: 'failed'; readonly reason: string; readonly message: string }
  | { readonly kind: 'progressing'; readonly step: string };

// In the order in which they come true; each with what is being done until then.
const steps: readonly (readonly [type: string, doing: string])[] = [
  ['SourceReady', 'storing the source'],
  ['DependenciesReady', 'installing dependencies'],
  ['RoutesReady', 'starting the first Instance'],
];

/**
 * Reads the rollout off the conditions. Only those about the object's present generation count:
 * what is said about an older one is no answer to this change.
 */
export function decideRollout(object: FunctionObject): Rollout {
  const { status } = object;
  const current = currentConditions(object);
  const ready = findCondition(current, 'Ready');
  if (ready?.status === 'True') {
    const warning = [retirement(object), pin(object)].filter(Boolean).join('. ');
    return { kind: 'ready', url: status?.url ?? '', ...(warning && { warning }) };
  }
  if (ready?.status === 'False') {
    return { kind: 'failed', reason: ready.reason ?? '', message: ready.message ?? '' };
  }
  return { kind: 'progressing', step: currentStep(current, ready) };
}

/**
 * The same where calls were sent to this Revision, by its name. They go there whatever becomes of
 * newer code: that this does not load, or failed as a canary, is why somebody goes back.
 */
export function decideRollback(object: FunctionObject, revision: string): Rollout {
  const rollout = decideRollout(object);
  if (rollout.kind !== 'failed') return rollout;
  const { status } = object;
  const routes = findCondition(currentConditions(object), functionConditions.routes);
  const share = status?.traffic?.find((target) => target.revision === revision)?.percent ?? 0;
  if (routes?.status === 'False' || isAboutTraffic(rollout)) return rollout;
  const newest = `The newest code is not ready: ${rollout.reason}: ${rollout.message}`;
  // That it failed is said before the calls have moved.
  if (share === 0) return { kind: 'progressing', step: `moving traffic. ${newest}` };
  const warning = [pin(object), newest].filter(Boolean).join('. ');
  return { kind: 'ready', url: status?.url ?? '', warning };
}

/** Whether it failed because the calls cannot go where they are sent. */
function isAboutTraffic({ reason }: { readonly reason: string }): boolean {
  const { revisionNotFound, instancesMissing } = functionReasons;
  return reason === revisionNotFound || reason === instancesMissing;
}

/** Those about the object's present generation. */
function currentConditions({ metadata, status }: FunctionObject): readonly Condition[] {
  return (status?.conditions ?? []).filter(
    ({ observedGeneration }) => observedGeneration === metadata.generation,
  );
}

/** That the name of its runtime is retired, and what it runs on instead. */
function retirement({ spec, status }: FunctionObject): string | undefined {
  const isHere = (name: string): boolean => name === status?.runtime;
  const resolution = resolveRuntime(spec.runtime, { added: [], isHere });
  if (resolution.kind === 'unknown' || !isHere(resolution.runtime.name)) return undefined;
  return resolution.warning;
}

/** That its calls go to older code, because the spec says so. */
function pin({ metadata, spec, status }: FunctionObject): string | undefined {
  const { traffic } = spec;
  if (traffic === undefined || traffic.some(isForLatest)) return undefined;
  const undo = `fnlet rollback ${metadata.name} --latest`;
  return `Calls go to ${status?.revision}, as spec.traffic says; ${undo} sends them to the newest`;
}

function isForLatest({ latest, percent }: TrafficTarget): boolean {
  return latest === true && percent > 0;
}

function currentStep(current: readonly Condition[], ready: Condition | undefined): string {
  const open = steps.find(([type]) => findCondition(current, type)?.status !== 'True');
  const executor = findCondition(current, functionConditions.executor);
  const isAnew = executor?.reason === functionReasons.newPods;
  const told = findCondition(current, open?.[0] ?? 'Ready')?.message ?? ready?.message;
  const detail = isAnew ? executor.message : told;
  const doing = open?.[1] ?? 'moving traffic';
  return detail === undefined || detail === '' ? doing : `${doing}: ${detail}`;
}

export interface RolloutRequest {
  readonly key: ObjectKey;
  readonly timeoutMs: number;
  /** The Revision that calls are sent to. Default: the newest. */
  readonly revision?: string | undefined;
  /** Called whenever the step changes. */
  readonly onStep: (step: string) => void;
}

/**
 * Waits until the Function is ready and returns its URL.
 *
 * @throws CliError with `notReady` when it failed, `timedOut` when it takes too long.
 */
export async function waitForRollout(
  connection: Connection,
  request: RolloutRequest,
  context: CliContext,
): Promise<string> {
  const { key, timeoutMs, revision, onStep } = request;
  const timeout = new AbortController();
  const timer = context.clock.after(timeoutMs, () => timeout.abort());
  const signal = AbortSignal.any([context.signal, timeout.signal]);
  let last = '';
  try {
    for await (const object of observe(connection, key, { signal, clock: context.clock })) {
      const rollout =
        revision === undefined ? decideRollout(object) : decideRollback(object, revision);
      if (rollout.kind === 'ready') {
        if (rollout.warning !== undefined) onStep(rollout.warning);
        return rollout.url;
      }
      if (rollout.kind === 'failed') throw notReady(key, rollout);
      if (rollout.step !== last) onStep(rollout.step);
      last = rollout.step;
    }
  } finally {
    timer.cancel();
  }
  if (context.signal.aborted) throw new CliError(exitCodes.failed, 'Interrupted');
  throw new CliError(
    exitCodes.timedOut,
    `Cannot wait any longer for Function "${key.name}": still ${last || 'not looked at'}`,
    { remedy: `Look at it with: fnlet describe ${key.name}` },
  );
}

function notReady(
  key: ObjectKey,
  { reason, message }: { reason: string; message: string },
): CliError {
  return new CliError(
    exitCodes.notReady,
    `Function "${key.name}" is not ready: ${reason}: ${message}`,
    { remedy: `More about it: fnlet describe ${key.name}` },
  );
}

/** The Function now and after every change, until `signal` aborts; a broken watch is renewed. */
export async function* observe(
  { functions }: Connection,
  key: ObjectKey,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
): AsyncGenerator<FunctionObject> {
  const select = { namespace: key.namespace, fieldSelector: `metadata.name=${key.name}` };
  while (!signal.aborted) {
    try {
      for await (const event of functions.watch({ ...select, signal })) {
        if (event.type === 'ADDED' || event.type === 'MODIFIED') yield event.object;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!hasCode(error, 'Interrupted') && !hasCode(error, 'Expired')) throw error;
    }
    await sleep(clock, 200, signal);
  }
}
