import type { JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { ageColumn, type Column, formatAge, nameColumn } from '../answer/column.ts';
import { listField, objectField, textField } from '../object/object-form.ts';

const none = '<none>';

/** What `kubectl get pods` shows (kubernetes, printers/internalversion). */
export const podColumns: readonly Column[] = [
  nameColumn,
  {
    name: 'Ready',
    type: 'string',
    description: 'How many containers can take traffic, of how many.',
    cell: readyCount,
  },
  {
    name: 'Status',
    type: 'string',
    description: 'What the Pod does, in one word.',
    cell: statusWord,
  },
  {
    name: 'Restarts',
    type: 'string',
    description: 'How often containers were restarted, and when last.',
    cell: restarts,
  },
  ageColumn,
  wide('IP', 'Address of the Pod.', (pod) => textField(objectField(pod, 'status'), 'podIP')),
  wide('Node', 'The node that it runs on.', (pod) =>
    textField(objectField(pod, 'spec'), 'nodeName'),
  ),
  wide('Nominated Node', 'The node that is being cleared for it.', (pod) =>
    textField(objectField(pod, 'status'), 'nominatedNodeName'),
  ),
  wide('Readiness Gates', 'Conditions that count for being ready.', readinessGates),
];

function wide(name: string, description: string, show: (pod: KubeObject) => string): Column {
  return { name, type: 'string', description, priority: 1, cell: (pod) => show(pod) || none };
}

function statusesOf(pod: KubeObject): readonly JsonObject[] {
  return listField(objectField(pod, 'status'), 'containerStatuses');
}

function readyCount(pod: KubeObject): string {
  const ready = statusesOf(pod).filter((status) => status.ready === true);
  return `${ready.length}/${listField(objectField(pod, 'spec'), 'containers').length}`;
}

function statusWord(pod: KubeObject): string {
  const status = objectField(pod, 'status');
  if (pod.metadata.deletionTimestamp !== undefined) {
    return textField(status, 'reason') === 'NodeLost' ? 'Unknown' : 'Terminating';
  }
  let word = textField(status, 'reason') || textField(status, 'phase');
  let isRunning = false;
  for (const container of statusesOf(pod).toReversed()) {
    const state = objectField(container, 'state');
    const waiting = textField(objectField(state, 'waiting'), 'reason');
    const terminated = objectField(state, 'terminated');
    if (waiting !== '') word = waiting;
    else if (state.terminated !== undefined) word = endWord(terminated);
    else if (container.ready === true && state.running !== undefined) isRunning = true;
  }
  if (word === 'Completed' && isRunning) return isReady(pod) ? 'Running' : 'NotReady';
  return word;
}

function endWord(terminated: JsonObject): string {
  const reason = textField(terminated, 'reason');
  if (reason !== '') return reason;
  const { signal, exitCode } = terminated;
  return typeof signal === 'number' && signal !== 0
    ? `Signal:${signal}`
    : `ExitCode:${String(exitCode ?? 0)}`;
}

function isReady(pod: KubeObject): boolean {
  const conditions = listField(objectField(pod, 'status'), 'conditions');
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

function restarts(pod: KubeObject, now: number): string {
  let count = 0;
  let last = '';
  for (const container of statusesOf(pod)) {
    if (typeof container.restartCount === 'number') count += container.restartCount;
    const ended = objectField(objectField(container, 'lastState'), 'terminated');
    const finishedAt = textField(ended, 'finishedAt');
    if (finishedAt > last) last = finishedAt;
  }
  return count === 0 || last === '' ? String(count) : `${count} (${formatAge(last, now)} ago)`;
}

function readinessGates(pod: KubeObject): string {
  const gates = listField(objectField(pod, 'spec'), 'readinessGates');
  if (gates.length === 0) return '';
  const conditions = listField(objectField(pod, 'status'), 'conditions');
  const met = gates.filter((gate) =>
    conditions.some(({ type, status }) => type === gate.conditionType && status === 'True'),
  );
  return `${met.length}/${gates.length}`;
}
