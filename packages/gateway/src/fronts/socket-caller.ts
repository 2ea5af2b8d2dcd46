import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { adoptSocket } from './adopted-socket.ts';
import type { Outbox } from './outbox.ts';
import { SocketWire } from './socket-wire.ts';
import type { Caller, CallerOrigin } from './wire.ts';

/** What the sockets of all clients share. */
export interface SocketSharing {
  /** What they are read into, one after the other. */
  readonly readBuffer: Buffer;
  readonly outbox: Outbox;
}

/**
 * The client at an accepted socket that nobody reads yet (`pauseOnConnect`). `onHttp2` gets the
 * socket back, with the preface first, should the client turn out to speak HTTP/2.
 */
export function plainCaller(
  accepted: Socket,
  { readBuffer, outbox, inside }: SocketSharing & Pick<CallerOrigin, 'inside'>,
  onHttp2: (socket: Duplex) => void,
): Caller {
  let wire: SocketWire | undefined;
  return {
    remoteAddress: clientAddress(accepted),
    scheme: 'http',
    inside,
    open(user) {
      const onData = (chunk: Buffer): void => user.onData(chunk);
      const socket = adoptSocket(accepted, { buffer: readBuffer, onData });
      wire = new SocketWire(socket, user, { outbox, cut: () => socket.resetAndDestroy() });
      return wire;
    },
    onHttp2(rest) {
      const socket = wire?.release();
      socket?.unshift(Buffer.concat([preface, rest]));
      if (socket !== undefined) onHttp2(socket);
    },
  };
}

/** The client at a socket whose handshake is done. */
export function secureCaller(socket: TLSSocket, outbox: Outbox): Caller {
  return {
    remoteAddress: clientAddress(socket),
    scheme: 'https',
    inside: false,
    open(user) {
      socket.on('data', (chunk) => user.onData(chunk));
      // Without the alert that ends TLS in good order (RFC 8446 §6.1).
      return new SocketWire(socket, user, { outbox, cut: () => void socket.destroy() });
    },
  };
}

/** The part of the preface that HTTP/1.1 reads as a head (RFC 9113 §3.4). */
const preface: Buffer = Buffer.from('PRI * HTTP/2.0\r\n\r\n');

/** The address of a client; one of IPv4 as such, whatever the socket makes of it. */
function clientAddress({ remoteAddress }: Socket): string {
  return (remoteAddress ?? 'unknown').replace(/^::ffff:/, '');
}
