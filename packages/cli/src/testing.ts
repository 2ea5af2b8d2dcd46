export type {
  FaultOptions,
  FaultSwitches,
  PendingFault,
  RecordedWrite,
  RequestMatch,
  TestCluster,
  TestClusterErrorCode,
  TestClusterOptions,
  TestSnapshot,
  Verb,
  WriteJournal,
} from '@fnlet/testing';
export { startTestCluster, TestClusterError } from '@fnlet/testing';
