import type { Duplex } from 'node:stream';
import { endStream } from './command-channels.ts';
import { forwardConnection } from './forward-connection.ts';
import type { WebSocketChannels } from './websocket-channels.ts';

/**
 * Port-forward over the channels of a WebSocket, as the JavaScript and Python clients have it: one
 * TCP connection per port, with a channel for data and one for errors, each opened by the server
 * with the number of its port (kubelet, pkg/cri/streaming/portforward/websocket.go). Resolves when
 * all connections have ended.
 */
export async function forwardPorts(
  channels: WebSocketChannels,
  ports: readonly number[],
  connect: (port: number) => Promise<Duplex>,
): Promise<void> {
  const forwards = ports.map(async (port, index) => {
    const { readable: incoming } = channels.inlet(2 * index);
    const outgoing = channels.outlet(2 * index);
    const errors = channels.outlet(2 * index + 1);
    const number = Buffer.alloc(2);
    number.writeUInt16LE(port);
    outgoing.write(number);
    errors.write(number);
    const streams = { incoming, outgoing, errors, endsWithTarget: true };
    await forwardConnection(streams, () => connect(port));
    await endStream(outgoing);
  });
  await Promise.all(forwards);
}
