import type { Cache } from '@fnlet/client';
import { objectKey } from '@fnlet/machinery';
import { type Controller, createController, fromCache, toController } from '@fnlet/reconcile';
import { claimObjects } from './claims.ts';
import type { ControllerContext } from './controller-context.ts';
import type { ControllerRevision } from './controller-revision.ts';
import { type DaemonSet, daemonSetType } from './daemon-set.ts';
import { failureOf } from './failure-of.ts';
import { limits } from './limits.ts';
import type { Node } from './node.ts';
import { planDaemonSet } from './plan-daemon-set.ts';
import { type Pod, podType } from './pod.ts';
import { RevisionHistory } from './revision-history.ts';
import { revisionHashLabel } from './stateful-set.ts';
import { writeStatus } from './write-status.ts';

interface DaemonCaches {
  readonly daemonSets: Cache<DaemonSet>;
  readonly nodes: Cache<Node>;
  readonly revisions: Cache<ControllerRevision>;
}

/** Keeps a Pod of every DaemonSet on every node. */
export function createDaemonSetController(
  context: ControllerContext,
  caches: DaemonCaches,
): Controller {
  const { pods, clock, logger } = context;
  const { daemonSets, nodes, revisions } = caches;
  const history = new RevisionHistory(context, revisions);
  return createController({
    name: 'daemonsets',
    sources: [
      fromCache(daemonSets),
      fromCache(pods, { map: toController(daemonSetType) }),
      fromCache(revisions, { map: toController(daemonSetType) }),
      fromCache(nodes, { map: () => daemonSets.list().map(objectKey) }),
    ],
    reconcile: async (key, { signal }) => {
      const daemonSet = daemonSets.get(key);
      if (daemonSet !== undefined)
        await reconcile(context, { ...caches, daemonSet, history }, signal);
      return undefined;
    },
    concurrency: limits.workers,
    ...{ clock, logger },
  });
}

async function reconcile(
  { client, pods, podControl }: ControllerContext,
  {
    daemonSets,
    nodes,
    daemonSet,
    history,
  }: DaemonCaches & { readonly daemonSet: DaemonSet; readonly history: RevisionHistory },
  signal: AbortSignal,
): Promise<void> {
  const { selector, template } = daemonSet.spec;
  const owned = await claimObjects(
    { owner: daemonSet, selector, client: client.of<Pod>(podType), cache: pods },
    signal,
  );
  const kept = { owner: daemonSet, hashLabel: revisionHashLabel, pods: owned };
  await history.keep(kept, signal);
  const plan = planDaemonSet({ daemonSet, nodes: nodes.list(), pods: owned });
  const failure = await failureOf(signal, async () => {
    for (const nodeName of plan.create) {
      const placed = { ...template, spec: { ...template.spec, nodeName } };
      const labels = { [revisionHashLabel]: plan.revision };
      await podControl.create(daemonSet, placed, { labels, signal });
    }
  });
  for (const pod of plan.remove) {
    if (!podControl.isDeleted(pod)) await podControl.delete(daemonSet, pod, signal);
  }
  const target = { client: client.of<DaemonSet>(daemonSetType), cache: daemonSets };
  await writeStatus({ ...target, object: daemonSet }, plan.status, signal);
  if (failure !== undefined) throw failure;
}
