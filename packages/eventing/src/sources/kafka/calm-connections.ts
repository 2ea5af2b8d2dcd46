/**
 * Connections of the library tell of one failure more than once: when a broker refuses a
 * certificate after the handshake (TLS 1.3), of the socket and of what was asked on it. Nobody
 * listens any more the second time, and an `error` that nobody listens to ends the process.
 */
import { EventEmitter } from 'node:events';

/** Where the library tells of what it makes, as node:diagnostics_channel. */
export interface InstancesChannel {
  subscribe(listener: (message: unknown) => void): void;
  unsubscribe(listener: (message: unknown) => void): unknown;
}

/** Has somebody listen to each connection that is made from now on, until it is disposed of. */
export function calmConnections(channel: InstancesChannel): Disposable {
  const listen = (message: unknown): void => {
    if (typeof message !== 'object' || message === null || !('instance' in message)) return;
    // Who waits for it is told by the request that failed.
    if (message.instance instanceof EventEmitter) message.instance.on('error', () => {});
  };
  channel.subscribe(listen);
  return { [Symbol.dispose]: () => void channel.unsubscribe(listen) };
}
