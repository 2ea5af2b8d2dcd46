import { hasCode, jsonEqual } from '@fnlet/base';
import { type Cache, createDiscoveryCache, type DiscoveryCache } from '@fnlet/client';
import { labelSelectorFromSpec, matchesLabels, type ObjectKey, objectKey } from '@fnlet/machinery';
import { type Controller, createController, fromCache, type Result } from '@fnlet/reconcile';
import { type ControllerContext, requeueAt } from './controller-context.ts';
import { readScales, type ScaledCaches } from './controller-scale.ts';
import {
  type DisruptionBudget,
  type DisruptionStatus,
  disruptionBudgetType,
} from './disruption-budget.ts';
import { limits } from './limits.ts';
import { planDisruption } from './plan-disruption.ts';
import type { Pod } from './pod.ts';

interface DisruptionCaches extends ScaledCaches {
  readonly budgets: Cache<DisruptionBudget>;
  /** The Pods that mirror Instances of Functions: a budget protects them like any other. */
  readonly instances: Cache<Pod>;
}

/** Says in the status of PodDisruptionBudgets how many Pods may be evicted now. */
export function createDisruptionController(
  context: ControllerContext,
  caches: DisruptionCaches,
): Controller {
  const { clock, logger, pods } = context;
  const { budgets, instances } = caches;
  const discovery = createDiscoveryCache(context.client.transport, { clock });
  const protecting = (pod: Pod): ObjectKey[] =>
    budgets
      .list(pod.metadata.namespace)
      .filter((budget) => selects(budget, pod))
      .map(objectKey);
  return createController({
    name: 'disruptions',
    sources: [
      fromCache(budgets),
      fromCache(pods, { map: protecting }),
      fromCache(instances, { map: protecting }),
    ],
    reconcile: async (key, { signal }) => {
      const budget = budgets.get(key);
      return budget === undefined
        ? undefined
        : reconcile(context, { ...caches, discovery, budget }, signal);
    },
    concurrency: limits.workers,
    ...{ clock, logger },
  });
}

async function reconcile(
  context: ControllerContext,
  {
    budget,
    budgets,
    instances,
    discovery,
    ...caches
  }: DisruptionCaches & {
    readonly budget: DisruptionBudget;
    readonly discovery: DiscoveryCache;
  },
  signal: AbortSignal,
): Promise<Result | undefined> {
  const { client, clock, events } = context;
  const { namespace } = budget.metadata;
  const pods = [...context.pods.list(namespace), ...instances.list(namespace)].filter((pod) =>
    selects(budget, pod),
  );
  const scales = await readScales(pods, { client, caches, discovery }, signal);
  const plan = planDisruption({ budget, pods, scales, nowMs: clock.now() });
  for (const pod of plan.overdue) {
    const message = `Pod was expected by PDB ${namespace}/${budget.metadata.name} to be deleted but it wasn't`;
    events.record(pod, { type: 'Warning', reason: 'NotDeleted', message });
  }
  if (!jsonEqual(budget.status, plan.status)) {
    for (const notice of plan.notices) events.record(budget, notice);
    await write(context, { budget, budgets, status: plan.status }, signal);
  }
  return requeueAt(context, plan.lookAtMs);
}

/** Evictions write the status as well: neither may overwrite what the other one has counted. */
async function write(
  { client }: ControllerContext,
  parts: {
    readonly budget: DisruptionBudget;
    readonly budgets: Cache<DisruptionBudget>;
    readonly status: DisruptionStatus;
  },
  signal: AbortSignal,
): Promise<void> {
  const { budget, budgets, status } = parts;
  try {
    const target = client.of<DisruptionBudget>(disruptionBudgetType);
    budgets.observe(await target.updateStatus({ ...budget, status }, { signal }));
  } catch (error) {
    // A newer one comes, and with it another run.
    if (!hasCode(error, 'Conflict') && !hasCode(error, 'NotFound')) throw error;
  }
}

function selects({ spec }: DisruptionBudget, { metadata }: Pod): boolean {
  const { selector } = spec;
  return selector !== undefined && matchesLabels(labelSelectorFromSpec(selector), metadata.labels);
}
