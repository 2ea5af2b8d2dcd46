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
export { eventType, type InvolvedObject, type KubeEvent } from './kube-event.ts';
export {
  createManager,
  type Manager,
  type ManagerOptions,
  type Service,
  type SharedCacheOptions,
} from './manager.ts';
export { planStatus, type StatusUpdate, type StatusWithConditions } from './plan-status.ts';
export {
  allOf,
  annotationsChanged,
  anyOf,
  generationChanged,
  labelsChanged,
  not,
  type Predicate,
  resourceVersionChanged,
} from './predicate.ts';
export { ReconcileError, type ReconcileErrorCode } from './reconcile-error.ts';
export {
  type CacheSourceOptions,
  type Enqueue,
  fromCache,
  fromCallback,
  type Source,
  toController,
} from './source.ts';
export { createStatusWriter, type ObjectWithStatus, type StatusWriter } from './status-writer.ts';
export {
  type AddOptions,
  createWorkQueue,
  type WorkItem,
  type WorkQueue,
  type WorkQueueOptions,
} from './work-queue.ts';
