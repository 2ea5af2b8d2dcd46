import type { Random } from '@fnlet/base';

/**
 * A UUID of version 7 (RFC 9562 §5.7): what is accepted later sorts later, so that a store appends
 * it, and 74 bits of chance, so that nobody guesses it.
 */
export function makeCallId(nowMs: number, random: Random): string {
  const time = nowMs.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.uuid().slice(15)}`;
}
