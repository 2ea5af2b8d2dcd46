import type { JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { listField, objectField, textField } from '../object/object-form.ts';

/** A Pod in a line, as `kubectl get pods` shows it (kubernetes, printers/internalversion). */
export interface PodSummary {
  /** Containers, sidecars among them, that can take traffic. */
  readonly ready: number;
  readonly total: number;
  /** What it does, in one word. */
  readonly word: string;
  readonly restarts: number;
  /** When the last run before a restart ended; empty when there was none. */
  readonly restartedAt: string;
}

interface Restarts {
  readonly restarts: number;
  readonly restartedAt: string;
}

/** What stands in the way of the containers: the first init container that is not through. */
interface Initialization extends Restarts {
  readonly word: string | undefined;
}

export function summarizePod(pod: KubeObject): PodSummary {
  const spec = objectField(pod, 'spec');
  const status = objectField(pod, 'status');
  const sidecars = listField(spec, 'initContainers').filter(isRestartable);
  const names = new Set(sidecars.map(({ name }) => name));
  const inits = listField(status, 'initContainerStatuses');
  const running = inits.filter(({ name, started }) => names.has(name) && started === true);
  const initialization = initializationOf(pod, names);
  const mains = listField(status, 'containerStatuses');
  const isInitializing = initialization.word !== undefined && !hasCondition(pod, 'Initialized');
  const shown = isInitializing
    ? initialization
    : restartsOf([...inits.filter(({ name }) => names.has(name)), ...mains]);
  const counted = isInitializing ? running : [...running, ...mains.filter(isRunning)];
  return {
    ready: counted.filter(({ ready }) => ready === true).length,
    total: listField(spec, 'containers').length + sidecars.length,
    word: wordOf(pod, isInitializing ? initialization.word : undefined),
    restarts: shown.restarts,
    restartedAt: shown.restartedAt,
  };
}

function isRestartable({ restartPolicy }: JsonObject): boolean {
  return restartPolicy === 'Always';
}

function isRunning(status: JsonObject): boolean {
  return objectField(status, 'state').running !== undefined;
}

function initializationOf(pod: KubeObject, sidecars: ReadonlySet<unknown>): Initialization {
  const statuses = listField(objectField(pod, 'status'), 'initContainerStatuses');
  const blocking = statuses.findIndex(
    (status) =>
      objectField(objectField(status, 'state'), 'terminated').exitCode !== 0 &&
      !(sidecars.has(status.name) && status.started === true),
  );
  const found = statuses[blocking];
  if (found === undefined) return { ...restartsOf(statuses), word: undefined };
  const state = objectField(found, 'state');
  const waiting = textField(objectField(state, 'waiting'), 'reason');
  const total = listField(objectField(pod, 'spec'), 'initContainers').length;
  let word = `Init:${blocking}/${total}`;
  if (state.terminated !== undefined) word = `Init:${endWord(objectField(state, 'terminated'))}`;
  else if (waiting !== '' && waiting !== 'PodInitializing') word = `Init:${waiting}`;
  return { ...restartsOf(statuses.slice(0, blocking + 1)), word };
}

function wordOf(pod: KubeObject, initializing: string | undefined): string {
  const status = objectField(pod, 'status');
  const phase = textField(status, 'phase');
  if (pod.metadata.deletionTimestamp !== undefined) {
    if (textField(status, 'reason') === 'NodeLost') return 'Unknown';
    if (phase !== 'Succeeded' && phase !== 'Failed') return 'Terminating';
  }
  if (initializing !== undefined) return initializing;
  const gated = listField(status, 'conditions').some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  );
  const word = gated ? 'SchedulingGated' : textField(status, 'reason') || phase;
  return containersWord(pod, word);
}

/** What the first container that does not run says; else `otherwise`. */
function containersWord(pod: KubeObject, otherwise: string): string {
  const statuses = listField(objectField(pod, 'status'), 'containerStatuses').toReversed();
  let word = otherwise;
  let failure = '';
  let isAnyRunning = false;
  for (const container of statuses) {
    const state = objectField(container, 'state');
    const waiting = textField(objectField(state, 'waiting'), 'reason');
    if (waiting !== '') {
      word = waiting;
    } else if (state.terminated !== undefined) {
      const terminated = objectField(state, 'terminated');
      word = endWord(terminated);
      if (terminated.exitCode !== 0) failure = word;
    } else if (container.ready === true && state.running !== undefined) {
      isAnyRunning = true;
    }
  }
  if (word !== 'Completed') return word;
  if (isAnyRunning && hasCondition(pod, 'Ready')) return 'Running';
  if (failure !== '') return failure;
  return isAnyRunning ? 'NotReady' : word;
}

function endWord(terminated: JsonObject): string {
  const reason = textField(terminated, 'reason');
  if (reason !== '') return reason;
  const { signal, exitCode } = terminated;
  return typeof signal === 'number' && signal !== 0
    ? `Signal:${signal}`
    : `ExitCode:${String(exitCode ?? 0)}`;
}

function hasCondition(pod: KubeObject, wanted: string): boolean {
  const conditions = listField(objectField(pod, 'status'), 'conditions');
  return conditions.some(({ type, status }) => type === wanted && status === 'True');
}

function restartsOf(statuses: readonly JsonObject[]): Restarts {
  let restarts = 0;
  let restartedAt = '';
  for (const container of statuses) {
    if (typeof container.restartCount === 'number') restarts += container.restartCount;
    const ended = objectField(objectField(container, 'lastState'), 'terminated');
    const finishedAt = textField(ended, 'finishedAt');
    if (finishedAt > restartedAt) restartedAt = finishedAt;
  }
  return { restarts, restartedAt };
}
