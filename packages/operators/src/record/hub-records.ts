import type { Clock, Logger } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import type { ObjectKey } from '@fnlet/machinery';
import type { Store } from '@fnlet/store';
import { ApiPages } from './api-pages.ts';
import { pagesOf } from './page-store.ts';
import { PendingWrites } from './pending-writes.ts';
import { dropRunRecords } from './run-records.ts';
import { SettledPages } from './settled-pages.ts';
import { dropOldRecords } from './settled-records.ts';

export interface HubRecordsOptions {
  readonly client: Client;
  readonly store: Store;
  /** Where replicas share what is settled; see HubOptions. */
  readonly records?: ObjectKey | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** All that a hub keeps: the runs of this replica, and what is settled. */
export class HubRecords {
  readonly runs: PendingWrites;
  readonly settled: SettledPages;

  constructor({ client, store, records, clock, logger }: HubRecordsOptions) {
    const pages = records === undefined ? pagesOf(store) : new ApiPages({ client, group: records });
    this.runs = new PendingWrites({ store, clock, logger });
    this.settled = new SettledPages({ store: pages, clock, logger });
    dropOldRecords(this.runs);
  }

  /** Forgets all that is known of operators that are no more. */
  async dropUnknown(isKnown: (operatorUid: string) => boolean): Promise<void> {
    dropRunRecords(this.runs, isKnown);
    await this.settled.dropUnknown(isKnown);
  }

  /** Writes what waits, and no more. */
  async close(): Promise<void> {
    await Promise.all([this.settled.close(), this.runs.close()]);
  }
}
