import { hasCode, isJsonObject } from '@fnlet/base';
import type { Cache, Client } from '@fnlet/client';
import {
  type ConditionUpdate,
  findCondition,
  mergeConditions,
  type ObjectKey,
  objectKey,
  resourcePath,
  toKubeTime,
} from '@fnlet/machinery';
import {
  type Controller,
  type ControllerOptions,
  createController,
  type EventRecorder,
  fromCache,
} from '@fnlet/reconcile';
import { limits } from './limits.ts';
import type { Node } from './node.ts';
import { planBinding } from './plan-binding.ts';
import { type Pod, podType } from './pod.ts';
import { WorkloadsError } from './workloads-error.ts';

export interface SchedulerOptions extends Pick<ControllerOptions, 'clock' | 'logger'> {
  readonly client: Client;
  readonly pods: Cache<Pod>;
  readonly nodes: Cache<Node>;
  readonly events: Pick<EventRecorder, 'record'>;
}

/** Gives every Pod that has no node one that it may run on. */
export function createScheduler(options: SchedulerOptions): Controller {
  const { pods, nodes, clock, logger } = options;
  return createController({
    name: 'scheduler',
    sources: [
      fromCache(pods, { predicate: ({ kind }) => kind !== 'deleted', map: unbound }),
      // A node that comes or changes may be what somebody waits for.
      fromCache(nodes, { map: () => pods.list().flatMap(unbound), predicate: hasChanged }),
    ],
    reconcile: (key, { signal }) => schedule(key, options, signal),
    concurrency: limits.workers,
    ...{ clock, logger },
  });
}

function unbound(pod: Pod): ObjectKey[] {
  return (pod.spec.nodeName ?? '') === '' ? [objectKey(pod)] : [];
}

// The heartbeat in its status is no news.
function hasChanged(event: {
  readonly kind: string;
  readonly object: Node;
  readonly old?: Node;
}): boolean {
  const aspect = ({ metadata, spec }: Node): string => JSON.stringify([metadata.labels, spec]);
  return event.old === undefined || aspect(event.object) !== aspect(event.old);
}

async function schedule(
  key: ObjectKey,
  options: SchedulerOptions,
  signal: AbortSignal,
): Promise<undefined> {
  const { client, pods, nodes, events } = options;
  const pod = pods.get(key);
  if (pod === undefined) return;
  const plan = planBinding(pod, nodes.list());
  try {
    if (plan.kind === 'bind') {
      await bind(client, { pod, nodeName: plan.nodeName }, signal);
      const { namespace, name } = key;
      const message = `Successfully assigned ${namespace}/${name} to ${plan.nodeName}`;
      events.record(pod, { type: 'Normal', reason: 'Scheduled', message });
    } else if (plan.kind === 'unschedulable') {
      const { reason, message } = plan;
      const known = findCondition(pod.status?.conditions, 'PodScheduled');
      if (known?.reason === reason && known.message === message) return;
      await say(options, { pod, condition: { status: 'False', reason, message } }, signal);
      if (reason === 'Unschedulable') {
        events.record(pod, { type: 'Warning', reason: 'FailedScheduling', message });
      }
    }
  } catch (error) {
    if (!hasCode(error, 'NotFound')) throw error;
  }
}

/** @throws WorkloadsError `NotBound` */
async function bind(
  client: Client,
  { pod, nodeName }: { readonly pod: Pod; readonly nodeName: string },
  signal: AbortSignal,
): Promise<void> {
  const { name, namespace = '', uid } = pod.metadata;
  const response = await client.transport.request({
    method: 'POST',
    path: resourcePath(podType, { namespace, name, subresource: 'binding' }),
    query: { fieldManager: client.fieldManager },
    body: {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name, namespace, uid },
      target: { apiVersion: 'v1', kind: 'Node', name: nodeName },
    },
    signal,
  });
  const answer = await response.json();
  // Gone, or placed by somebody else: either way there is nothing left to place.
  if (response.status < 300 || response.status === 404 || response.status === 409) return;
  const said = isJsonObject(answer) ? String(answer.message) : '';
  const text = `Cannot bind Pod "${namespace}/${name}": found ${response.status} ${said}`;
  throw new WorkloadsError('NotBound', `${text}, expected 201`, { retry: 'later' });
}

async function say(
  { client, clock }: SchedulerOptions,
  { pod, condition }: { readonly pod: Pod; readonly condition: Omit<ConditionUpdate, 'type'> },
  signal: AbortSignal,
): Promise<void> {
  const update = { type: 'PodScheduled', ...condition };
  const now = toKubeTime(clock.now());
  const conditions = mergeConditions(pod.status?.conditions ?? [], [update], now);
  const patch = { metadata: { uid: pod.metadata.uid }, status: { conditions } };
  const target = { subresource: 'status', signal };
  await client.of<Pod>(podType).patch(objectKey(pod), { type: 'merge', patch }, target);
}
