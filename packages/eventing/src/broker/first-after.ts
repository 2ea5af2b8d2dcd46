import type { LogStream } from '@fnlet/store/log';

/**
 * The sequence of the first record that was appended after this time, or of the next one that will
 * be. By halving: times are in order.
 */
export async function firstAfter(stream: LogStream, timeMs: number): Promise<number> {
  const { first, last } = await stream.size();
  let from = first;
  let to = last + 1;
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    const [record] = await stream.read(middle, { limit: 1 });
    if (record === undefined || record.timeMs > timeMs) to = middle;
    else from = record.sequence + 1;
  }
  return from;
}
