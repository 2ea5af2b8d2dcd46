import type { Clock, Logger, Random } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import type { Invoker } from '@fnlet/invocation';
import type { ObjectKey } from '@fnlet/machinery';
import type { KeyOwnership } from '@fnlet/reconcile';
import type { Store } from '@fnlet/store';
import type { WatchRights } from './plan/readiness.ts';

/** What a hub works with. */
export interface HubOptions {
  /**
   * A client that may read what operators declare, write Operators and their Functions, and
   * impersonate their ServiceAccounts.
   */
  readonly client: Client;
  /** Calls Functions. */
  readonly invoke: Invoker;
  /** What this process may watch, where that is less than everything. Default: everything. */
  readonly watching?: WatchRights | undefined;
  /** Keeps what operators know across restarts. It is closed by whoever opened it. */
  readonly store: Store;
  /**
   * Replicas that have no store in common keep there what they have settled: in ConfigMaps of that
   * namespace whose names begin so. Default: it is kept in `store`, and who takes keys over from
   * another replica runs them once more.
   */
  readonly records?: ObjectKey | undefined;
  /** Told when functions are called a lot, and when no more. Default: nobody. */
  readonly onLoad?: (isBusy: boolean) => void;
  /** Which keys are this replica's. Default: all. */
  readonly ownership?: KeyOwnership | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}
