export {
  type AdmissionRequest,
  type AdmissionTerms,
  type AdmissionWebhook,
  type Mutate,
  type MutatingVerdict,
  mutating,
  type RequestUser,
  type Validate,
  type Verdict,
  validating,
} from './admission.ts';
export {
  type Answer,
  asIs,
  type Child,
  type ChildWish,
  type DurationText,
  done,
  type EventNote,
  type Requirement,
  requeueAfter,
  type WantedChild,
} from './answer.ts';
export { type Condition, progressing, ready, type WantedCondition } from './condition.ts';
export { nextCronTime } from './cron.ts';
export {
  type DefinitionManifest,
  defineKind,
  type KindColumn,
  type KindDefinition,
  type OperatorStatus,
  type OwnKind,
} from './define-kind.ts';
export { type Field, type Fields, field, type ObjectOfFields, type ValueOf } from './field.ts';
export {
  type CustomObject,
  type KeyReference,
  type Kind,
  type KindFacts,
  kind,
  type MapToKeys,
  type ObjectOf,
  type View,
  viewOf,
  type Watch,
} from './kind.ts';
export {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  CronJob,
  DaemonSet,
  Deployment,
  EndpointSlice,
  Endpoints,
  Event,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  Lease,
  Namespace,
  NetworkPolicy,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  Role,
  RoleBinding,
  Secret,
  Service,
  ServiceAccount,
  StatefulSet,
} from './kinds/builtin-kinds.ts';
export type { ObjectMeta, ObjectShape, OwnerReference, PartOf, Wanted } from './object.ts';
export type {
  ConvertedObject,
  KindConversion,
  OlderVersion,
  VersionedObject,
} from './older-version.ts';
export {
  type BackoffWords,
  hasFinalizer,
  type ObjectSet,
  type Operator,
  type OperatorOptions,
  operator,
  type ReconcileRequest,
  type StatusOf,
} from './operator.ts';
export { channel, createManager, poll, run, webhook } from './own-process.ts';
export {
  and,
  annotationsChanged,
  cel,
  generationChanged,
  labelsChanged,
  not,
  or,
  type Predicate,
  resourceVersionChanged,
} from './predicate.ts';
export { requiredDefinitions } from './required-definitions.ts';
export { type PolicyRule, requiredRules } from './required-rules.ts';
export { terminal } from './terminal.ts';
