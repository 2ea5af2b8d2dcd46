export type {
  FaultOptions,
  FaultSwitches,
  ObjectOfKind,
  OperatorTest,
  OperatorTestOptions,
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
export { startTestCluster, TestClusterError, testOperator } from '@fnlet/testing';
