import { once } from 'node:events';
import { connect } from 'node:net';
import { FunctionServer } from './function-server.ts';
import type { Handler } from './handler.ts';
import { InstanceLog } from './instance-log.ts';
import { WebRequest } from './web/web-request.ts';
import { WebResponse } from './web/web-response.ts';

/**
 * Does once, while a Runner is warm and nobody waits, what Node does lazily at first use: loads the
 * SDK, takes connections, parses requests, calls handlers, answers. A first call is some 5 ms
 * faster for it. The handlers that are called here have a server that nobody else sees.
 */
export async function rehearse(socketPath: string): Promise<void> {
  performance.now();
  await import('@fnlet/sdk');
  const server = new FunctionServer(new InstanceLog());
  await server.listenOnSocket(socketPath);
  for (const handler of handlers) {
    server.serve({ specialisation, handler });
    await callOnce(socketPath);
  }
  await server.drain(0);
}

async function callOnce(socketPath: string): Promise<void> {
  const socket = connect(socketPath);
  // Whoever ends the Runner meanwhile is right to do so.
  socket.on('error', () => {});
  socket.end('GET /?a=b HTTP/1.1\r\nHost: rehearsal\r\nConnection: close\r\n\r\n');
  socket.resume();
  await once(socket, 'close');
}

const handlers: readonly Handler[] = [
  { style: 'web', call: (request) => respond(request), upgrade: undefined },
  { style: 'event', call: () => ({ rehearsed: true }), upgrade: undefined },
];

function respond(request: unknown): WebResponse {
  const isFromHere = request instanceof WebRequest && request.headers.get('host') === 'rehearsal';
  return new WebResponse(isFromHere ? request.url : null, { headers: { 'x-rehearsed': 'true' } });
}

const specialisation = {
  namespace: 'rehearsal',
  function: 'rehearsal',
  revision: 'rehearsal',
  instance: 'rehearsal',
  runtime: 'rehearsal',
  sourceDirectory: '/',
  handler: 'default',
  env: {},
  limits: { timeoutMs: 1000, bodyBytesMax: 0, drainMs: 0 },
} as const;
