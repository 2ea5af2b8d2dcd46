import type { Job, PodFailureRule } from './job.ts';
import type { Pod } from './pod.ts';

/** What a Job's policy says about a Pod that has failed: the first rule that matches. */
export function failureAction({ spec }: Job, pod: Pod): PodFailureRule['action'] | undefined {
  const rules = spec.podFailurePolicy?.rules ?? [];
  return rules.find((rule) => matches(rule, pod))?.action;
}

/** Whether this failure counts for nothing. */
export function isIgnored(job: Job, pod: Pod): boolean {
  return failureAction(job, pod) === 'Ignore';
}

/** Why a Pod's failure ends the whole Job; `undefined`: it does not. */
export function fatalFailure(job: Job, pods: readonly Pod[]): string | undefined {
  for (const pod of pods) {
    if (pod.status?.phase !== 'Failed' || failureAction(job, pod) !== 'FailJob') continue;
    const { namespace, name } = pod.metadata;
    return `Pod ${namespace}/${name} has failed in a way that its Job's podFailurePolicy calls final`;
  }
  return undefined;
}

function matches({ onExitCodes, onPodConditions }: PodFailureRule, { status }: Pod): boolean {
  if (onExitCodes !== undefined) {
    const { containerName, operator, values } = onExitCodes;
    return (status?.containerStatuses ?? [])
      .filter(({ name }) => containerName === undefined || name === containerName)
      .flatMap(({ state }) => state?.terminated?.exitCode ?? [])
      .filter((code) => code !== 0)
      .some((code) => values.includes(code) === (operator === 'In'));
  }
  return (onPodConditions ?? []).some((wanted) =>
    (status?.conditions ?? []).some(
      ({ type, status: truth }) => type === wanted.type && truth === (wanted.status ?? 'True'),
    ),
  );
}
