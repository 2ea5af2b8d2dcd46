import { fixedLimits } from './limits.ts';

/** Something to write: text stands for its octets (latin1). */
export type Part = string | Buffer;

/** Octets of a read, kept for as long as it takes to write them. */
export function copyPart(chunk: Buffer, from: number, to: number): Part {
  return to - from <= fixedLimits.textBytesMax
    ? chunk.toString('latin1', from, to)
    : Buffer.from(chunk.subarray(from, to));
}

/** Adds to what will be written, so that it takes as few writes as possible. */
export function appendPart(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  if (part.length === 0) return;
  if (typeof last === 'string' && typeof part === 'string') parts[parts.length - 1] = last + part;
  else parts.push(part);
}
