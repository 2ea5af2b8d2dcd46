import { mutatingPolicyBindingRules, mutatingPolicyRules } from './admission/mutating-policy.ts';
import {
  validatingPolicyBindingRules,
  validatingPolicyRules,
} from './admission/validating-policy.ts';
import { mutatingWebhookRules, validatingWebhookRules } from './admission/webhook-configuration.ts';
import { daemonSetRules } from './apps/daemon-set.ts';
import { deploymentRules } from './apps/deployment.ts';
import { replicaSetRules } from './apps/replica-set.ts';
import { statefulSetRules } from './apps/stateful-set.ts';
import { autoscalerV1Rules } from './autoscaling/autoscaler-v1.ts';
import { horizontalPodAutoscalerRules } from './autoscaling/horizontal-pod-autoscaler.ts';
import { cronJobRules } from './batch/cron-job.ts';
import { jobRules } from './batch/job.ts';
import { certificateSigningRequestRules } from './certificates/certificate-signing-request.ts';
import { limitRangeRules } from './core/limit-range.ts';
import { nodeRules } from './core/node.ts';
import { persistentVolumeRules } from './core/persistent-volume.ts';
import { persistentVolumeClaimRules } from './core/persistent-volume-claim.ts';
import { replicationControllerRules } from './core/replication-controller.ts';
import { resourceQuotaRules } from './core/resource-quota.ts';
import type { KindRules } from './kind-rules.ts';
import { endpointSliceRules } from './networking/endpoint-slice.ts';
import { endpointsRules } from './networking/endpoints.ts';
import { ingressRules } from './networking/ingress.ts';
import { ingressClassRules } from './networking/ingress-class.ts';
import { ipAddressRules } from './networking/ip-address.ts';
import { networkPolicyRules } from './networking/network-policy.ts';
import { podDisruptionBudgetRules } from './policy/pod-disruption-budget.ts';
import { priorityClassRules } from './scheduling/priority-class.ts';
import { runtimeClassRules } from './scheduling/runtime-class.ts';
import { storageClassRules } from './storage/storage-class.ts';

/** Kinds whose structure and names are all facts; the rules are ours. */
export const ruledKinds: readonly KindRules[] = [
  mutatingWebhookRules,
  validatingWebhookRules,
  validatingPolicyRules,
  validatingPolicyBindingRules,
  mutatingPolicyRules,
  mutatingPolicyBindingRules,
  daemonSetRules,
  deploymentRules,
  replicaSetRules,
  statefulSetRules,
  horizontalPodAutoscalerRules,
  autoscalerV1Rules,
  cronJobRules,
  jobRules,
  certificateSigningRequestRules,
  endpointSliceRules,
  endpointsRules,
  limitRangeRules,
  nodeRules,
  persistentVolumeRules,
  persistentVolumeClaimRules,
  replicationControllerRules,
  resourceQuotaRules,
  ipAddressRules,
  ingressRules,
  ingressClassRules,
  networkPolicyRules,
  podDisruptionBudgetRules,
  priorityClassRules,
  runtimeClassRules,
  storageClassRules,
];
