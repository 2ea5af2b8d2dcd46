import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, Socket } from 'node:net';
import { test } from 'node:test';
import { adoptSocket } from './adopted-socket.ts';

test('an adopted socket is read into the buffer that was given, and its server forgets it', async () => {
  const buffer = Buffer.alloc(64);
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const client = connect(address.port, '127.0.0.1');
  const accepted = await new Promise<Socket>((resolve) => server.once('connection', resolve));
  const chunk = new Promise<Buffer>((resolve) => {
    const socket = adoptSocket(accepted, { buffer, onData: resolve });
    assert.notEqual(socket, accepted);
    assert.equal(socket.remoteAddress, '127.0.0.1');
    socket.on('end', () => socket.end('bye'));
  });
  client.write('hello');
  assert.equal(String(await chunk), 'hello');
  assert.equal((await chunk).buffer, buffer.buffer);
  // It waits for no connection of its own: the adopted one is still open.
  await new Promise((resolve) => server.close(resolve));
  client.end();
  const [answer] = await once(client, 'data');
  assert.equal(String(answer), 'bye');
});

test('a socket without the handle that Node has today is read in the usual way', async () => {
  const accepted = new Socket();
  const chunk = new Promise<Buffer>((resolve) => {
    const socket = adoptSocket(accepted, { buffer: Buffer.alloc(64), onData: resolve });
    assert.equal(socket, accepted);
  });
  accepted.push('hello');
  assert.equal(String(await chunk), 'hello');
  accepted.destroy();
});
