import type { CloudEvent } from '../event/cloud-event.ts';
import type { Work } from './lanes.ts';

/** Work whose events could be read, which is sent in one request. */
export interface Parcel {
  readonly works: readonly Work[];
  /** Where the events are, in the order of these. */
  readonly sequences: readonly number[];
  readonly events: readonly CloudEvent[];
}

/** Bytes of the data of its events. */
export function parcelBytes({ events }: Parcel): number {
  let bytes = 0;
  for (const { data } of events) bytes += data?.length ?? 0;
  return bytes;
}
