import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { functionLabel } from '@fnlet/api';
import { type KubeObject, statusError } from '@fnlet/machinery';

/** Where the Gateway is reached. */
export interface GatewayAddress {
  readonly host: string;
  readonly port: number;
}

/** The address to connect to of one that is listened on. */
export function reachableAddress({ host, port }: GatewayAddress): GatewayAddress {
  if (host === '0.0.0.0') return { host: '127.0.0.1', port };
  return host === '::' ? { host: '::1', port } : { host, port };
}

/**
 * Where those inside reach the Gateway, whatever people come by: the loopback interface is to them
 * what the network of a cluster is to its Services.
 */
export const insideHost = '127.0.0.1';

/**
 * A connection to the Gateway, which answers for the Services of Functions and wakes those that
 * sleep; undefined for other Services.
 */
export function connectFunctionService(
  { metadata }: KubeObject,
  {
    gateway,
    signal,
  }: { readonly gateway: GatewayAddress | undefined; readonly signal: AbortSignal },
): Promise<Duplex> | undefined {
  if (metadata.labels?.[functionLabel] !== metadata.name) return undefined;
  if (gateway === undefined) {
    return Promise.reject(statusError('ServiceUnavailable', 'the Gateway does not listen yet'));
  }
  const socket = connect({ ...gateway, signal, allowHalfOpen: true });
  // Whoever sends a request on it hears of them too.
  socket.on('error', () => {});
  return Promise.resolve(socket);
}
