import { Duplex } from 'node:stream';
import { Inlet } from './inlet.ts';
import { closeStatus, type WebSocketConnection } from './websocket-connection.ts';

/** The tunnel of KEP-4006: SPDY inside of binary messages, wherever these begin and end. */
export const tunnelProtocol = 'SPDY/3.1+portforward.k8s.io';

/** The bytes of a WebSocket's messages as a connection of their own. */
export function openTunnel(connection: WebSocketConnection): Duplex {
  const inlet = new Inlet(
    (hooks) =>
      new Duplex({
        ...hooks,
        write: (chunk: Buffer, _encoding, done) => connection.send('binary', [chunk], done),
        // What was corked together goes as one message.
        writev: (chunks, done) =>
          connection.send(
            'binary',
            chunks.map(({ chunk }): Buffer => chunk),
            done,
          ),
        final: (done) => {
          connection.close(closeStatus.normal, '');
          done();
        },
      }),
  );
  void feed(connection, inlet);
  return inlet.readable;
}

async function feed(connection: WebSocketConnection, inlet: Inlet<Duplex>): Promise<void> {
  for await (const { bytes } of connection.pieces()) await inlet.write(bytes);
  inlet.end();
}
