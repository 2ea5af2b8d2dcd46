export type { BreakerOptions } from './apply/breaker.ts';
export type { ChildId, ChildReference } from './apply/child-id.ts';
export { childPaths } from './apply/child-marks.ts';
export { type ChildOutcome, childrenCondition } from './apply/child-outcome.ts';
export {
  type ChildrenRequest,
  type ChildWriter,
  type ChildWriterOptions,
  createChildWriter,
} from './apply/child-writer.ts';
export type {
  DesiredChild,
  DesiredChildOptions,
  DesiredChildren,
} from './apply/desired-child.ts';
export { isApplied } from './apply/is-applied.ts';
export { keepOwnManagedFields } from './apply/keep-own-managed-fields.ts';
export { toPrimary } from './apply/ownership.ts';
export {
  createStatusApplier,
  type StatusApplier,
  type StatusApplierOptions,
  type StatusIntent,
} from './apply/status-applier.ts';
export {
  type Controller,
  type ControllerOptions,
  createController,
} from './controller.ts';
export type {
  ControllerMetrics,
  ControllerObserver,
  ReconcileOutcome,
} from './controller-observer.ts';
export type { ElectionTimings } from './election/election-timings.ts';
export { createLeaseElection, type LeaseElectionOptions } from './election/lease-election.ts';
export type { EventFilter } from './event-filter.ts';
export {
  createEventRecorder,
  type EventRecorder,
  type EventRecorderOptions,
} from './event-recorder.ts';
export {
  createFinalizer,
  decideFinalizer,
  type Finalizer,
  type FinalizerStage,
} from './finalizer.ts';
export { type HealthCheck, syncedCheck } from './health/health-check.ts';
export { createHealthPages, type HealthPagesOptions } from './health/health-pages.ts';
export type { KeyOwnership } from './key-ownership.ts';
export type { Reconcile, ReconcileContext } from './key-run.ts';
export type {
  Cached,
  ControllerHost,
  KindContext,
  KindControllerOptions,
  Outcome,
} from './kind-controller.ts';
export { eventType, type Happening, type InvolvedObject, type KubeEvent } from './kube-event.ts';
export type { LeaderElection } from './leadership.ts';
export {
  createManager,
  type Manager,
  type ManagerOptions,
  type RunningController,
} from './manager.ts';
export {
  createOperatorMetrics,
  type OperatorMetrics,
  type OperatorMetricsOptions,
} from './metrics/operator-metrics.ts';
export type { ControllerClient, StatusStatement } from './operator/controller-client.ts';
export { type DeclaredCaches, declareCaches } from './operator/declared-caches.ts';
export { compileKeyMap, readKeys } from './operator/key-map.ts';
export { resourceTypeOf } from './operator/kind-type.ts';
export {
  createOperatorController,
  type OperatorControllerOptions,
} from './operator/operator-controller.ts';
export type { BegunRun, RunEnd, RunObserver } from './operator/operator-run.ts';
export type { StatusUpdate, StatusWithConditions } from './plan-status.ts';
export type { QueueObserver, QueueStats } from './queue-observer.ts';
export { ReconcileError, type ReconcileErrorCode } from './reconcile-error.ts';
export type { Result } from './result.ts';
export type { RetryBucketOptions } from './retry-bucket.ts';
export type { RunCause } from './run-cause.ts';
export type { Service } from './service-group.ts';
export type { SessionTimings } from './sharding/session-timings.ts';
export {
  createShardedKeys,
  type ShardedKeys,
  type ShardedKeysOptions,
} from './sharding/sharded-keys.ts';
export type { CacheLease, CacheRequest } from './shared-cache/shared-caches.ts';
export { type CacheSourceOptions, fromCache, toController } from './source/cache-source.ts';
export { type Channel, channel } from './source/channel-source.ts';
export { type Finding, type Look, poll } from './source/poll-source.ts';
export type { Enqueue, Source, SourcePorts } from './source/source.ts';
export { type WebhookSource, webhook } from './source/webhook-source.ts';
export { createStatusWriter, type ObjectWithStatus, type StatusWriter } from './status-writer.ts';
export type { Trace } from './trace/run-trace.ts';
export type { WebHandler } from './web-handler.ts';
export { createMutatingWebhook, createValidatingWebhook } from './webhooks/admission-webhook.ts';
export {
  type CertificateKeeper,
  type CertificateKeeperOptions,
  createCertificateKeeper,
} from './webhooks/certificate-keeper.ts';
export type { CertificateTarget } from './webhooks/certificate-target.ts';
export {
  type ConversionOptions,
  type ConvertedVersion,
  createConversionWebhook,
} from './webhooks/conversion-webhook.ts';
export { OperatorWebhooks, type WebhookRegistration } from './webhooks/operator-webhooks.ts';
export type { WebhookCertificates } from './webhooks/plan-certificates.ts';
export type { WebhookPorts } from './webhooks/review-handler.ts';
export { routePaths } from './webhooks/route-paths.ts';
export { hostOf, type WebhookEndpoint } from './webhooks/webhook-endpoint.ts';
export type { AddOptions, PaceOptions } from './work-queue.ts';
