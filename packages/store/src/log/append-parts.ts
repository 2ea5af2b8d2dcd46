import { limits } from './limits.ts';
import type { LogEntry } from './log.ts';
import { digestBytes } from './table-keys.ts';

/** What an append makes of an entry besides its payload, its key and its id: time and lengths. */
const frameBytes = 12;

/** Bytes that an entry counts for towards the `appendBytesMax` of a stream. */
export function entryBytes({ id, key = '', payload }: LogEntry): number {
  const named = Buffer.byteLength(key) + (id === undefined ? 0 : digestBytes);
  return payload.length + named + frameBytes;
}

/**
 * Divides what is to be appended, in its order, so that no part is more than one append takes. An
 * entry that is too large by itself is a part of its own, which its append then refuses.
 *
 * @param entryOf what is appended of an item
 * @param bounds.bytesMax `appendBytesMax` of the stream, or less
 * @param bounds.entriesMax default: what every log takes
 */
export function appendParts<Item>(
  items: readonly Item[],
  entryOf: (item: Item) => LogEntry,
  bounds: { readonly bytesMax: number; readonly entriesMax?: number },
): readonly (readonly Item[])[] {
  const { bytesMax, entriesMax = limits.appendEntriesMax } = bounds;
  const parts: Item[][] = [];
  let part: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = entryBytes(entryOf(item));
    if (part.length > 0 && (bytes + size > bytesMax || part.length >= entriesMax)) {
      parts.push(part);
      part = [];
      bytes = 0;
    }
    part.push(item);
    bytes += size;
  }
  if (part.length > 0) parts.push(part);
  return parts;
}
