export type { FunctionAffinity } from './affinity.ts';
export { ApiError, type ApiErrorCode } from './api-error.ts';
export type { ArchiveSource } from './archive-source.ts';
export { type BrokerObject, brokerCrd, brokerType, parseBroker } from './broker.ts';
export { brokerConditions, brokerReasons } from './broker-condition.ts';
export type { ConfigMapSource } from './config-map-source.ts';
export type { CronConcurrency, CronSource, MissedTimes } from './cron-source.ts';
export { type CustomSource, customSourceName } from './custom-source.ts';
export {
  type BackoffPolicy,
  type DeliveryPolicy,
  type DeliveryRate,
  type EventBatch,
  type EventFormat,
  type ResolvedDelivery,
  resolveDelivery,
} from './delivery-policy.ts';
export type {
  EnvFromSource,
  EnvValueSource,
  EnvVar,
  KeyReference,
  ObjectReference,
} from './environment.ts';
export type { AttributeFilter, EventFilter } from './event-filter.ts';
export {
  type FunctionObject,
  type FunctionSpec,
  type FunctionStatus,
  functionCrd,
  functionType,
  parseFunction,
  type ScalingStatus,
  type SourceStatus,
} from './function.ts';
export {
  type FunctionConditionType,
  type FunctionReason,
  functionConditions,
  functionReasons,
} from './function-condition.ts';
export {
  defaultRollout,
  type FunctionRollout,
  type ResolvedCanary,
  resolveCanary,
} from './function-rollout.ts';
export { defaultGitInterval, type GitSource } from './git-source.ts';
export { apiGroup, apiVersion } from './group.ts';
export type {
  EventSignature,
  EventSignatureScheme,
  HttpEvents,
  WebhookEvents,
} from './http-events.ts';
export type { HttpMethod, HttpPath, HttpSource } from './http-source.ts';
export type { KafkaSasl, KafkaSource, KafkaStart } from './kafka-source.ts';
export type { KinesisSource } from './kinesis-source.ts';
export { builtinRuntimes, type KnownRuntime } from './known-runtime.ts';
export type { KubernetesSource, ObjectChangeKind } from './kubernetes-source.ts';
export {
  cleanKymaType,
  kymaBrokerName,
  kymaSubject,
  kymaSubjectAttribute,
} from './kyma-eventing.ts';
export {
  developmentUntilAnnotation,
  functionLabel,
  managedBy,
  managedByLabel,
  revisionLabel,
  syncAnnotation,
} from './labels.ts';
export type { Mount } from './mount.ts';
export type { NatsSource, NatsStart } from './nats-source.ts';
export {
  type CallRate,
  type OperatorObject,
  type OperatorSpec,
  objectFinalizerOf,
  operatorCrd,
  operatorFinalizer,
  operatorType,
  parseOperator,
} from './operator.ts';
export {
  type OperatorConditionType,
  type OperatorReason,
  operatorConditions,
  operatorReasons,
} from './operator-condition.ts';
export type { OperatorHook, OperatorHooks } from './operator-hooks.ts';
export type { KindView } from './operator-kinds.ts';
export type { MissingPermission } from './operator-status.ts';
export type { ChangeTest, ChangeTests, NegatableTest, OperatorWhen } from './operator-when.ts';
export type { ExecutorName, PodSettings } from './pod-settings.ts';
export { type RuntimeResolution, resolveRuntime } from './resolve-runtime.ts';
export {
  findResourceMistake,
  resolveResources,
} from './resources.ts';
export {
  parseRevision,
  type RevisionObject,
  type RevisionSpec,
  type RevisionStatus,
  revisionCrd,
  revisionType,
} from './revision.ts';
export { revisionDigest, revisionTemplate } from './revision-digest.ts';
export type { Compatibility, RevisionTemplate } from './revision-template.ts';
export type { AuthMethod, JwtAuth } from './route-auth.ts';
export type { RouteCompression, RouteCors, RouteRateLimit } from './route-policy.ts';
export {
  knownRuntime,
  type RuntimeObject,
  type RuntimeSpec,
  type RuntimeStatus,
  runtimeCrd,
  runtimeType,
} from './runtime.ts';
export { defaultScale, type FunctionScale, type ResolvedScale, resolveScale } from './scale.ts';
export type { ScheduledScale } from './scale-floor.ts';
export { lagMetricName, type PrometheusMetric, type ScaleMetric } from './scale-metric.ts';
export type { FunctionSource } from './source.ts';
export { sourceFiles } from './source-files.ts';
export { defaultTraffic, type TrafficTarget } from './traffic.ts';
export type { CanaryStatus, TrafficStatus } from './traffic-status.ts';
export {
  parseTrigger,
  type TriggerObject,
  type TriggerSource,
  type TriggerSpec,
  type TriggerStatus,
  triggerCrd,
  triggerType,
} from './trigger.ts';
export { type TriggerReason, triggerConditions, triggerReasons } from './trigger-condition.ts';
export {
  type FunctionTarget,
  formatTarget,
  isFunctionTarget,
  type TriggerTarget,
} from './trigger-target.ts';
