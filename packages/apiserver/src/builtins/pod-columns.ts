import type { KubeObject } from '@fnlet/machinery';
import { ageColumn, type Column, formatAge, nameColumn } from '../answer/column.ts';
import { listField, objectField, textField } from '../object/object-form.ts';
import { summarizePod } from './pod-summary.ts';

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
    cell: (pod) => summarizePod(pod).word,
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

function readyCount(pod: KubeObject): string {
  const { ready, total } = summarizePod(pod);
  return `${ready}/${total}`;
}

function restarts(pod: KubeObject, now: number): string {
  const { restarts: count, restartedAt } = summarizePod(pod);
  return count === 0 || restartedAt === ''
    ? String(count)
    : `${count} (${formatAge(restartedAt, now)} ago)`;
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
