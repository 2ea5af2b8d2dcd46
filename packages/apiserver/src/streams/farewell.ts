import { type Clock, sleep } from '@fnlet/base';
import { streamFarewellMs } from '../limits.ts';

/**
 * After the goodbye of the server: the client takes what is on its way and ends the connection.
 * Cutting it at once would lose what the client has not read, as TCP resets what has unread data.
 */
export async function awaitFarewell(clock: Clock, reading: Promise<void>): Promise<void> {
  const ended = new AbortController();
  await Promise.race([reading, sleep(clock, streamFarewellMs, ended.signal)]);
  ended.abort();
}
