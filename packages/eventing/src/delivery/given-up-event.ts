import type { CloudEvent } from '../event/cloud-event.ts';

/** Why an event is not tried again. */
export type GiveUpReason =
  /** The target does not take it: another try would come to the same. */
  | 'Refused'
  /** All tries failed. */
  | 'Exhausted'
  /** What is kept is no event. */
  | 'Unreadable'
  /** It could not be kept: of what its source brought only the attributes are there. */
  | 'TooLarge';

/** An event that will not be delivered, and how that came. */
export interface GivenUpEvent {
  readonly event: CloudEvent;
  /** Its place in the stream; 0 when it has none. */
  readonly sequence: number;
  /** What it is told apart by among those that were given up. Default: its place. */
  readonly identity?: string;
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
