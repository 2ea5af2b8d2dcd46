import type { CloudEvent } from '../event/cloud-event.ts';
import type { Work } from './lanes.ts';

/** Work whose events could be read, which is sent in one request. */
export interface Parcel {
  readonly works: readonly Work[];
  /** By their sequences. */
  readonly events: ReadonlyMap<number, CloudEvent>;
}

/** Bytes of the data of its events. */
export function parcelBytes({ events }: Parcel): number {
  return events.values().reduce((bytes, { data }) => bytes + (data?.length ?? 0), 0);
}
