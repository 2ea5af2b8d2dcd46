import type { CloudEvent } from '../event/cloud-event.ts';

/** Why an event is not tried again. */
export type GiveUpReason =
  /** The target does not take it: another try would come to the same. */
  | 'Refused'
  /** All tries failed. */
  | 'Exhausted'
  /** What is kept is no event. */
  | 'Unreadable';

/** An event that will not be delivered, and how that came. */
export interface GivenUpEvent {
  readonly event: CloudEvent;
  /** Its place in the stream. */
  readonly sequence: number;
  readonly reason: GiveUpReason;
  /** Of the last answer; 0 when there was none. */
  readonly status: number;
  /** What the last answer said, or why there was none. */
  readonly answer: Uint8Array;
  readonly attempts: number;
  /** When it was tried, first and last. */
  readonly firstMs: number;
  readonly lastMs: number;
}
