import type { SlotLimits } from './delivery-slots.ts';

/** Every bound of delivery and its reason. A caller may replace single values. */
export interface DeliveryLimits {
  /** Records that one read takes at most, and their bytes. */
  readonly readRecords: number;
  readonly readBytes: number;
  /** Reading pauses while so many events are ready. */
  readonly readyMax: number;
  /** Reading pauses while so many events were read and are not settled. */
  readonly openMax: number;
  /** Reading pauses while so many events wait for their next try. */
  readonly retryingMax: number;
  /** Nothing is begun while so many settlements are not on the disk. */
  readonly unwrittenMax: number;
  /** Characters of a key that are kept as they are; a longer one is known by its digest. */
  readonly keyCharactersMax: number;
  /** Events in a row that find the target down until nothing is sent there. */
  readonly circuitEvents: number;
  /** How long nothing is sent then, at first; it doubles with each probe that fails. */
  readonly circuitBaseMs: number;
  readonly circuitCapMs: number;
  /** Events that were passed and are not settled, of one write. */
  readonly writtenRecords: number;
  /** Records that are settled and removed together. */
  readonly removeRecords: number;
  /** How long an event that was given up for a newer one waits, should that one not come after all. */
  readonly replacedMs: number;
  /** How long a write that failed for want of room waits until it is tried again. */
  readonly storeRetryMs: number;
  /** How long a stop waits for what is in flight. */
  readonly graceMs: number;
}

const defaults: DeliveryLimits = {
  // As many as are under way at once by default. A body stays in memory from here on until it is
  // delivered, of each Trigger; what stays long is what the garbage collector has to move.
  readRecords: 32,
  readBytes: 256 * 1024,
  readyMax: 32,
  // 24 bytes each, so that an event that fails keeps back no others but those of its key.
  openMax: 1_000_000,
  // About 200 bytes each. More than that fail because the target does, and reading on helps nobody.
  retryingMax: 50_000,
  // A disk that is slow must not be outrun: what is not written is delivered again after a crash.
  unwrittenMax: 1_024,
  // As long as a UUID or a digest, with a prefix.
  keyCharactersMax: 64,
  // One event alone never stops the others.
  circuitEvents: 3,
  circuitBaseMs: 500,
  // Nobody wants to wait longer once the target is back.
  circuitCapMs: 30_000,
  // A flush of the log takes twice as much, so that those of others go between.
  writtenRecords: 2_048,
  removeRecords: 512,
  // To be read takes milliseconds.
  replacedMs: 1_000,
  storeRetryMs: 1_000,
  // As long as the Gateway waits for other calls.
  graceMs: 5_000,
};

/** What all Triggers of a process may have under way together. */
export const slotLimits: SlotLimits = {
  // Some 10 kB each. Functions that take a second still get a thousand events a second.
  inFlightMax: 1_024,
  // Events of the largest size, one for each of 64 Triggers.
  bytesMax: 67_108_864,
  // A millisecond or two of work, as long as answers that came may wait.
  begunPerTurn: 16,
};

/** What all Triggers of a process may have read and not settled together. */
export const openQuotaLimits = {
  // 24 bytes each, and the keys of their lanes.
  max: 1_000_000,
  // A hundred Triggers whose targets fail are 5 MB.
  shareMin: 2_000,
};

/** The limits with what `overrides` replaces. */
export function resolveDeliveryLimits(overrides: Partial<DeliveryLimits> = {}): DeliveryLimits {
  return { ...defaults, ...overrides };
}
