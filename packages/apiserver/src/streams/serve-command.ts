import type { Duplex } from 'node:stream';
import { type Clock, sleep } from '@fnlet/base';
import { streamCreationMs } from '../limits.ts';
import type { ContainerProcess } from '../pod/pod-runtime.ts';
import type { WantedStreams } from './command-channels.ts';
import type { CommandEnd } from './command-end.ts';
import { awaitFarewell, cutAfter } from './farewell.ts';
import { runCommand } from './run-command.ts';
import { type SpdyCommandProtocol, SpdyCommandStreams } from './spdy-command.ts';
import { SpdyConnection } from './spdy-connection.ts';
import { type ChannelProtocol, WebSocketChannels } from './websocket-channels.ts';
import { openCommandChannels } from './websocket-command.ts';
import { WebSocketConnection } from './websocket-connection.ts';

/** An exec or attach that a client asked for. */
export interface CommandSession {
  readonly clock: Clock;
  readonly wanted: WantedStreams;
  /** Starts the process, or connects to it. */
  readonly start: () => Promise<ContainerProcess>;
  /** What the client is told about an error of `start`. */
  readonly toEnd: (error: unknown) => CommandEnd;
}

/** Serves an exec or attach over SPDY. Never rejects. */
export async function serveSpdyCommand(
  socket: Duplex,
  { clock, wanted, start, toEnd }: CommandSession,
  protocol: SpdyCommandProtocol,
): Promise<void> {
  const streams = new SpdyCommandStreams(wanted, protocol);
  const connection = new SpdyConnection(socket, (stream) => streams.add(stream));
  const reading = connection.run();
  void cutAfter(clock, reading, socket);
  const decided = new AbortController();
  const isComplete = await Promise.race([
    streams.complete.then(() => true),
    reading.then(() => false),
    sleep(clock, streamCreationMs, decided.signal).then(() => false),
  ]);
  decided.abort();
  if (isComplete) await runCommand(streams.channels(), start, toEnd);
  connection.close();
  await awaitFarewell(clock, reading);
}

/** Serves an exec or attach over a WebSocket. Never rejects. */
export async function serveWebSocketCommand(
  socket: Duplex,
  { clock, wanted, start, toEnd }: CommandSession,
  protocol: ChannelProtocol,
): Promise<void> {
  const channels = new WebSocketChannels(new WebSocketConnection(socket), protocol);
  const commandChannels = openCommandChannels(channels, wanted, protocol);
  const reading = channels.run();
  void cutAfter(clock, reading, socket);
  await runCommand(commandChannels, start, toEnd);
  channels.close();
  await awaitFarewell(clock, reading);
}
