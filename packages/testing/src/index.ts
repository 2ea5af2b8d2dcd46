export type { FaultOptions, FaultSwitches, PendingFault } from './fault-switches.ts';
export {
  type ObjectOfKind,
  type OperatorTest,
  type OperatorTestOptions,
  testOperator,
} from './operator-test.ts';
export type { RequestMatch, Verb } from './seen-request.ts';
export {
  startTestCluster,
  type TestCluster,
  type TestClusterOptions,
  type TestSnapshot,
} from './test-cluster.ts';
export { TestClusterError, type TestClusterErrorCode } from './test-cluster-error.ts';
export type { RecordedWrite, WriteJournal } from './write-journal.ts';
