export type {
  Executor,
  Instance,
  InstanceAddress,
  InstanceEvent,
  InstanceExit,
  InstancePhase,
  RunnableRevision,
} from './executor.ts';
