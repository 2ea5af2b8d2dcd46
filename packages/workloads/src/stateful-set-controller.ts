import type { Cache } from '@fnlet/client';
import { type Controller, createController, fromCache, toController } from '@fnlet/reconcile';
import { claimObjects } from './claims.ts';
import type { ControllerContext } from './controller-context.ts';
import { limits } from './limits.ts';
import { planStatefulSet } from './plan-stateful-set.ts';
import { type Pod, type PodTemplate, podType } from './pod.ts';
import {
  podIndexLabel,
  revisionHashLabel,
  type StatefulSet,
  statefulSetType,
} from './stateful-set.ts';
import { writeStatus } from './write-status.ts';

/** Keeps the numbered Pods of every StatefulSet. */
export function createStatefulSetController(
  context: ControllerContext,
  statefulSets: Cache<StatefulSet>,
): Controller {
  const { pods, clock, logger } = context;
  return createController({
    name: 'statefulsets',
    sources: [fromCache(statefulSets), fromCache(pods, { map: toController(statefulSetType) })],
    reconcile: async (key, { signal }) => {
      const statefulSet = statefulSets.get(key);
      if (statefulSet !== undefined) {
        await reconcile(context, { statefulSets, statefulSet }, signal);
      }
      return undefined;
    },
    concurrency: limits.workers,
    ...{ clock, logger },
  });
}

async function reconcile(
  { client, pods, podControl }: ControllerContext,
  {
    statefulSets,
    statefulSet,
  }: { readonly statefulSets: Cache<StatefulSet>; readonly statefulSet: StatefulSet },
  signal: AbortSignal,
): Promise<void> {
  const { selector } = statefulSet.spec;
  const owned = await claimObjects(
    { owner: statefulSet, selector, client: client.of<Pod>(podType), cache: pods },
    signal,
  );
  const plan = planStatefulSet({ statefulSet, pods: owned });
  for (const number of plan.create) {
    const name = `${statefulSet.metadata.name}-${number}`;
    await podControl.create(statefulSet, numberedTemplate(statefulSet, name), {
      name,
      labels: {
        [revisionHashLabel]: plan.revision,
        [podIndexLabel]: String(number),
        'statefulset.kubernetes.io/pod-name': name,
      },
      signal,
    });
  }
  for (const pod of plan.remove) {
    if (!podControl.isDeleted(pod)) await podControl.delete(statefulSet, pod, signal);
  }
  const target = { client: client.of<StatefulSet>(statefulSetType), cache: statefulSets };
  await writeStatus({ ...target, object: statefulSet }, plan.status, signal);
}

function numberedTemplate({ spec }: StatefulSet, hostname: string): PodTemplate {
  const { template, serviceName } = spec;
  const subdomain =
    serviceName === undefined || serviceName === '' ? {} : { subdomain: serviceName };
  return { ...template, spec: { ...template.spec, hostname, ...subdomain } };
}
