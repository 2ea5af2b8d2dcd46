/** Clients that send as slowly as they may: how long they keep the place of another call. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { needsPython, pythonName } from '../runtimes/python/test/python.ts';
import { createApi, type TestApi } from './api-access.ts';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';

let fnlet: FnletProcess;
let api: TestApi;
before(async () => {
  fnlet = await startFnlet();
  api = await createApi(fnlet.endpoints.kubeconfig);
});
after(async () => {
  await api.close();
  await fnlet[Symbol.asyncDispose]();
});

/** Sends a body of 1 000 octets, one at a time; resolves with all that was answered. */
function trickle(name: string): Promise<string> {
  const { hostname, port } = new URL(fnlet.endpoints.gateway);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  socket.write(`POST /default/${name}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n`);
  const tap = setInterval(() => socket.write('a'), 50);
  return new Promise((resolve) => {
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(tap);
      resolve(received);
    });
  });
}

const reader = `export default async (request) => {
  const body = await request.text();
  return body.length + ' ' + process.pid;
};`;

const pythonReader = `import os

def handler(request):
    return f"{len(request.body)} {os.getpid()}"
`;

async function checkTrickle(name: string, spec: Readonly<Record<string, unknown>>): Promise<void> {
  const scale = { limit: 1, max: 1 };
  await api.applyFunction(name, { ...spec, timeout: '1s', scale });
  await api.waitReady(name);
  const url = `${fnlet.endpoints.gateway}/default/${name}`;
  const before = await (await fetch(url)).text();
  // The one place is taken, so the call beside it waits; its own second begins when it has the place.
  const slow = trickle(name);
  const beside = await fetch(url);
  assert.equal(beside.status, 200);
  assert.equal(await beside.text(), before, 'the Instance is not to blame, and lives on');
  assert.match(await slow, /^HTTP\/1.1 408 /);
}

test('a body that trickles in loses its place after the timeout of the call', async () => {
  await checkTrickle('reads', { source: { inline: reader } });
});

test('it does in Python, too', needsPython, async () => {
  const source = { files: { 'handler.py': pythonReader } };
  await checkTrickle('reads-python', { runtime: pythonName, source });
});
