export {
  type Controller,
  type ControllerOptions,
  createController,
  type Reconcile,
  type ReconcileContext,
  type Result,
} from './controller.ts';
export {
  createEventRecorder,
  type EventRecorder,
  type EventRecorderOptions,
  type Happening,
} from './event-recorder.ts';
export type { KeyOwnership } from './key-ownership.ts';
export { eventType, type InvolvedObject, type KubeEvent } from './kube-event.ts';
export type { LeaderElection } from './leadership.ts';
export {
  createManager,
  type Manager,
  type ManagerOptions,
  type Service,
  type SharedCacheOptions,
} from './manager.ts';
export type { StatusUpdate, StatusWithConditions } from './plan-status.ts';
export { ReconcileError, type ReconcileErrorCode } from './reconcile-error.ts';
export {
  type CacheSourceOptions,
  type Enqueue,
  fromCache,
  type Predicate,
  type Source,
  toController,
} from './source.ts';
export { createStatusWriter, type ObjectWithStatus, type StatusWriter } from './status-writer.ts';
export type { AddOptions } from './work-queue.ts';
