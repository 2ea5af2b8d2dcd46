import type { Cache } from '@fnlet/client';
import { type Controller, createController, fromCache, toController } from '@fnlet/reconcile';
import { claimObjects } from './claims.ts';
import type { ControllerContext } from './controller-context.ts';
import type { ControllerRevision } from './controller-revision.ts';
import { failureOf } from './failure-of.ts';
import { limits } from './limits.ts';
import { planStatefulSet } from './plan-stateful-set.ts';
import { type Pod, type PodTemplate, podType } from './pod.ts';
import { RevisionHistory } from './revision-history.ts';
import {
  podIndexLabel,
  revisionHashLabel,
  type StatefulSet,
  statefulSetType,
} from './stateful-set.ts';
import { writeStatus } from './write-status.ts';

interface StatefulCaches {
  readonly statefulSets: Cache<StatefulSet>;
  readonly revisions: Cache<ControllerRevision>;
}

/** The label of a revision that carries its hash; those of DaemonSets have that of their Pods. */
const historyHashLabel = 'controller.kubernetes.io/hash';

/** Keeps the numbered Pods of every StatefulSet. */
export function createStatefulSetController(
  context: ControllerContext,
  caches: StatefulCaches,
): Controller {
  const { pods, clock, logger } = context;
  const { statefulSets, revisions } = caches;
  const history = new RevisionHistory(context, revisions);
  return createController({
    name: 'statefulsets',
    sources: [
      fromCache(statefulSets),
      fromCache(pods, { map: toController(statefulSetType) }),
      fromCache(revisions, { map: toController(statefulSetType) }),
    ],
    reconcile: async (key, { signal }) => {
      const statefulSet = statefulSets.get(key);
      if (statefulSet !== undefined) {
        await reconcile(context, { statefulSets, statefulSet, history }, signal);
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
    history,
  }: {
    readonly statefulSets: Cache<StatefulSet>;
    readonly statefulSet: StatefulSet;
    readonly history: RevisionHistory;
  },
  signal: AbortSignal,
): Promise<void> {
  const { selector } = statefulSet.spec;
  const owned = await claimObjects(
    { owner: statefulSet, selector, client: client.of<Pod>(podType), cache: pods },
    signal,
  );
  const { currentRevision = '', updateRevision = '' } = statefulSet.status ?? {};
  const told = [currentRevision, updateRevision];
  const kept = { owner: statefulSet, hashLabel: historyHashLabel, pods: owned, told };
  await history.keep(kept, signal);
  const plan = planStatefulSet({ statefulSet, pods: owned });
  const failure = await failureOf(signal, async () => {
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
  });
  for (const pod of plan.remove) {
    if (!podControl.isDeleted(pod)) await podControl.delete(statefulSet, pod, signal);
  }
  const target = { client: client.of<StatefulSet>(statefulSetType), cache: statefulSets };
  await writeStatus({ ...target, object: statefulSet }, plan.status, signal);
  if (failure !== undefined) throw failure;
}

function numberedTemplate({ spec }: StatefulSet, hostname: string): PodTemplate {
  const { template, serviceName } = spec;
  const subdomain =
    serviceName === undefined || serviceName === '' ? {} : { subdomain: serviceName };
  return { ...template, spec: { ...template.spec, hostname, ...subdomain } };
}
