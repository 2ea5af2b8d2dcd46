import { FnletError } from '@fnlet/base';

/**
 * - `KindNotServed`: an object to begin with is of a kind that the cluster does not have.
 * - `SystemClock`: only a virtual clock can be moved.
 * - `Unsettled`: something reads or writes again and again.
 * - `NotIdempotent`: a second run of operators wrote again, although nothing had changed.
 */
export type TestClusterErrorCode = 'KindNotServed' | 'SystemClock' | 'Unsettled' | 'NotIdempotent';

/** What a test asked of its cluster and did not get. */
export class TestClusterError extends FnletError<TestClusterErrorCode> {
  override readonly name = 'TestClusterError';
}
