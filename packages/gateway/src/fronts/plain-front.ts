import type { Socket } from 'node:net';
import { adoptSocket } from './adopted-socket.ts';
import type { Outbox } from './outbox.ts';
import { SocketWire } from './socket-wire.ts';
import type { Caller } from './wire.ts';

/** What the sockets of all clients share. */
export interface SocketSharing {
  /** What they are read into, one after the other. */
  readonly readBuffer: Buffer;
  readonly outbox: Outbox;
}

/** The client at an accepted socket that nobody reads yet (`pauseOnConnect`). */
export function plainCaller(accepted: Socket, { readBuffer, outbox }: SocketSharing): Caller {
  return {
    remoteAddress: clientAddress(accepted),
    scheme: 'http',
    open: (user) => {
      const onData = (chunk: Buffer): void => user.onData(chunk);
      const socket = adoptSocket(accepted, { buffer: readBuffer, onData });
      return new SocketWire(socket, user, outbox);
    },
  };
}

/** The address of a client; one of IPv4 as such, whatever the socket makes of it. */
export function clientAddress({ remoteAddress }: Socket): string {
  return (remoteAddress ?? 'unknown').replace(/^::ffff:/, '');
}
