import type { Duplex } from 'node:stream';
import type { Clock } from '@fnlet/base';
import { awaitFarewell, cutAfter } from './farewell.ts';
import { SpdyConnection } from './spdy-connection.ts';
import { SpdyPortForward } from './spdy-port-forward.ts';
import { type ChannelProtocol, WebSocketChannels } from './websocket-channels.ts';
import { WebSocketConnection } from './websocket-connection.ts';
import { forwardPorts } from './websocket-port-forward.ts';
import { openTunnel } from './websocket-tunnel.ts';

/** A port-forward that a client asked for. */
export interface PortForwardSession {
  readonly clock: Clock;
  readonly connect: (port: number) => Promise<Duplex>;
}

/** Serves a port-forward over SPDY until the client leaves. Never rejects. */
export async function serveSpdyPortForward(
  socket: Duplex,
  { clock, connect }: PortForwardSession,
): Promise<void> {
  const forward = new SpdyPortForward(clock, connect);
  const connection = new SpdyConnection(socket, (stream) => forward.add(stream));
  await connection.run();
  forward.close();
}

/** Serves a port-forward over SPDY within a WebSocket until the client leaves. Never rejects. */
export function serveTunneledPortForward(
  socket: Duplex,
  session: PortForwardSession,
): Promise<void> {
  return serveSpdyPortForward(openTunnel(new WebSocketConnection(socket)), session);
}

/** Serves a port-forward over WebSocket channels until its connections end. Never rejects. */
export async function serveWebSocketPortForward(
  socket: Duplex,
  { clock, connect }: PortForwardSession,
  asked: { readonly protocol: ChannelProtocol; readonly ports: readonly number[] },
): Promise<void> {
  const channels = new WebSocketChannels(new WebSocketConnection(socket), asked.protocol);
  const forwarding = forwardPorts(channels, asked.ports, connect);
  const reading = channels.run();
  void cutAfter(clock, reading, socket);
  await forwarding;
  channels.close();
  await awaitFarewell(clock, reading);
}
