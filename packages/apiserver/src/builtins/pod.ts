import { isJsonObject, type JsonObject, jsonEqual } from '@fnlet/base';
import type { FieldError, KubeObject } from '@fnlet/machinery';
import { listField, objectField, textField, withFields } from '../object/object-form.ts';
import type { HookContext, Strategy, UpdateContext } from '../resource/strategy.ts';
import { builtinStrategy } from './builtin-strategy.ts';
import { changeItems, changeSpec, fill } from './fill.ts';
import { checkAccount } from './pod/pod-account.ts';
import { applyLimitRanges } from './pod/pod-limits.ts';
import { findPriority } from './pod/pod-priority.ts';
import { wholePodRequests } from './pod/pod-requests.ts';
import { hostPortDefaults, podSpecDefaults } from './pod/pod-spec-defaults.ts';
import { ephemeralContainersRule, podSpecRule } from './pod/pod-spec-rule.ts';
import { ephemeralUpdateErrors, podCreateErrors, podUpdateErrors } from './pod/pod-update.ts';
import { requestLimits } from './pod/resource-rule.ts';
import { podColumns } from './pod-columns.ts';
import { podSpecSchema, podStatusSchema } from './pod-schema.ts';

const spec =
  (field: string) =>
  (pod: KubeObject): string =>
    textField(objectField(pod, 'spec'), field);
const status =
  (field: string) =>
  (pod: KubeObject): string =>
    textField(objectField(pod, 'status'), field);

export const podStrategy: Strategy = builtinStrategy({
  kind: 'Pod',
  plural: 'pods',
  description: 'A Pod is a set of containers that run together on one node.',
  fields: { spec: podSpecSchema, status: podStatusSchema },
  columns: podColumns,
  selectableFields: {
    'spec.nodeName': spec('nodeName'),
    'spec.restartPolicy': spec('restartPolicy'),
    'spec.schedulerName': spec('schedulerName'),
    'spec.serviceAccountName': spec('serviceAccountName'),
    'spec.hostNetwork': (pod) => String(objectField(pod, 'spec').hostNetwork === true),
    'status.phase': status('phase'),
    'status.podIP': status('podIP'),
    'status.podIPs': status('podIP'),
    'status.nominatedNodeName': status('nominatedNodeName'),
  },
  defaults: podDefaults,
  prepareCreate,
  prepareUpdate,
  validate,
  gracePeriodSeconds,
});

/** What a Pod means where it says nothing: more than the template of one does. */
function podDefaults(pod: KubeObject): KubeObject {
  return changeSpec(pod, (podSpec) => {
    const filled = hostPortDefaults(fill(podSpecDefaults(podSpec), { enableServiceLinks: true }));
    const containers = changeItems(filled, 'containers', requestLimits);
    return wholePodRequests(changeItems(containers, 'initContainers', requestLimits));
  });
}

// Placing a Pod is for its binding alone; what its node reports is not asked for a good spec.
function validate(
  pod: KubeObject,
  old: KubeObject | undefined,
  subresource: string | undefined,
): readonly FieldError[] {
  if (subresource === 'ephemeralcontainers') return debuggingErrors(pod, old);
  if (subresource !== undefined) return [];
  const changes = old === undefined ? podCreateErrors(pod) : podUpdateErrors(pod, old);
  return [...podSpecRule(pod.spec, 'spec'), ...changes];
}

const nodeTrouble = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

function debuggingErrors(pod: KubeObject, old: KubeObject | undefined): readonly FieldError[] {
  const changes = old === undefined ? [] : ephemeralUpdateErrors(pod, old);
  return [...ephemeralContainersRule(pod.spec, 'spec'), ...changes];
}

// What the admission plugins of a cluster add: an account, priority, five minutes for a node in
// trouble, and what LimitRanges say. They would also mount a token of the account, which nothing here gets unasked.
function prepareCreate(pod: KubeObject, context: HookContext): KubeObject {
  checkAccount(pod, context);
  const admitted = changeSpec(applyLimitRanges(pod, context), (podSpec) => ({
    ...fill(podSpec, { serviceAccountName: 'default', serviceAccount: 'default' }),
    ...shortestGrace(podSpec),
    ...findPriority(pod, context),
    tolerations: tolerated(podSpec),
  }));
  return withFields(admitted, { status: { phase: 'Pending', qosClass: qosClass(admitted) } });
}

/** No time to end at all is a second, of a Pod that is new. */
function shortestGrace({ terminationGracePeriodSeconds: seconds }: JsonObject): JsonObject {
  return typeof seconds === 'number' && seconds < 0 ? { terminationGracePeriodSeconds: 1 } : {};
}

// A PUT that says nothing about what admission added means what is there.
function prepareUpdate(pod: KubeObject, { old, subresource }: UpdateContext): KubeObject {
  if (subresource === 'status') return withPodIps(pod);
  if (subresource !== undefined) return pod;
  const { priority, preemptionPolicy, serviceAccountName, serviceAccount } = objectField(
    old,
    'spec',
  );
  const admitted = { priority, preemptionPolicy, serviceAccountName, serviceAccount };
  return changeSpec(pod, (podSpec) => ({
    ...fill(podSpec, admitted),
    tolerations: tolerated(podSpec),
  }));
}

function tolerated(podSpec: JsonObject): readonly JsonObject[] {
  const tolerations = listField(podSpec, 'tolerations');
  const added = nodeTrouble
    .filter((key) => !tolerations.some((toleration) => toleration.key === key))
    .map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }));
  return [...tolerations, ...added];
}

// One address in two fields: the older one is the first of the newer ones.
function withPodIps(pod: KubeObject): KubeObject {
  const status = objectField(pod, 'status');
  if (textField(status, 'podIP') === '' || listField(status, 'podIPs').length > 0) return pod;
  return withFields(pod, { status: { ...status, podIPs: [{ ip: status.podIP }] } });
}

function qosClass(pod: KubeObject): string {
  const containers = listField(objectField(pod, 'spec'), 'containers');
  const needs = containers.map((container) => objectField(container, 'resources'));
  const names = needs.flatMap(({ limits, requests }) => [limits, requests]).filter(isJsonObject);
  if (!names.some((quantities) => Object.keys(quantities).length > 0)) return 'BestEffort';
  const isGuaranteed = needs.every((resources) => {
    const limits = objectField(resources, 'limits');
    const { requests = limits } = resources;
    return limits.cpu !== undefined && limits.memory !== undefined && jsonEqual(limits, requests);
  });
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

// A Pod that runs nowhere has nothing to stop, and one that has ended has stopped already.
function gracePeriodSeconds(pod: KubeObject, asked: number | undefined): number {
  const podSpec = objectField(pod, 'spec');
  const phase = textField(objectField(pod, 'status'), 'phase');
  if (textField(podSpec, 'nodeName') === '' || phase === 'Succeeded' || phase === 'Failed')
    return 0;
  const usual = podSpec.terminationGracePeriodSeconds;
  const seconds = asked ?? (typeof usual === 'number' ? usual : 30);
  return Math.max(0, seconds);
}
