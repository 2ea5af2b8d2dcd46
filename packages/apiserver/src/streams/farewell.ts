import type { Duplex } from 'node:stream';
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

/**
 * Cuts a connection that is no longer read: its client has left, or said what cannot be
 * understood. Whatever was done for that client ends then.
 */
export async function cutAfter(
  clock: Clock,
  reading: Promise<void>,
  socket: Duplex,
): Promise<void> {
  await reading;
  if (socket.destroyed) return;
  const closed = new AbortController();
  socket.once('close', () => closed.abort());
  // What still comes is dropped, so that the client's own goodbye gets through.
  socket.resume();
  await sleep(clock, streamFarewellMs, closed.signal);
  socket.destroy();
}
