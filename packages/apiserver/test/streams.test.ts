import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import https from 'node:https';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { systemClock } from '@fnlet/base';
import { statusError } from '@fnlet/machinery';
import {
  adminUser,
  type ExecOptions,
  listenHttps,
  loadCertificates,
  type PodRuntime,
} from '../src/index.ts';
import { type Answer, type OpenedServer, openServer } from './opened-server.ts';
import { SpdyClient } from './spdy-client.ts';

const token = 'a-token-for-tests';
const pods = '/api/v1/namespaces/default/pods';
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default' },
  spec: { containers: [{ name: 'one', image: 'x' }] },
};

/** Says its command and ends; `wait` ends when its client has left. */
function createRuntime(started: ExecOptions[]): PodRuntime {
  return {
    async *logs() {},
    exec: async (_pod, options) => {
      started.push(options);
      const { command, signal } = options;
      const left = new Promise<number>((resolve) =>
        signal.addEventListener('abort', () => resolve(137), { once: true }),
      );
      const exitCode = command[0] === 'wait' ? left : Promise.resolve(0);
      return { stdout: Readable.from([command.join(' ')]), exitCode, resize: () => {} };
    },
    attach: () => Promise.reject(statusError('NotFound', 'nothing runs')),
    portForward: () => Promise.reject(statusError('NotFound', 'nothing listens')),
  };
}

function get(
  server: OpenedServer,
  target: string,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const { pathname, searchParams } = new URL(target, 'https://api');
  return server.ask('GET', pathname, { query: Object.fromEntries(searchParams), headers });
}

it('refuses options of a log in the words of Kubernetes', async () => {
  await using server = await openServer({ podRuntime: createRuntime([]) });
  await server.ask('POST', pods, { body: pod });
  const rows: readonly (readonly [query: Readonly<Record<string, string>>, text: string])[] = [
    [{ tailLines: '-1' }, 'tailLines: Invalid value: -1: must be greater than or equal to 0'],
    [{ limitBytes: '0' }, 'limitBytes: Invalid value: 0: must be greater than 0'],
    [{ sinceSeconds: '0' }, 'sinceSeconds: Invalid value: 0: must be greater than 0'],
    [
      { sinceSeconds: '1', sinceTime: '2026-01-01T00:00:00Z' },
      '[]: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
    ],
  ];
  for (const [query, text] of rows) {
    const { status, body } = await server.ask('GET', `${pods}/p/log`, { query });
    assert.equal(status, 422);
    assert.ok(
      JSON.stringify(body).includes(JSON.stringify(`PodLogOptions "p" is invalid: ${text}`)),
    );
  }
});

it('tells that the next run of a container is waited for, where its log is asked', async () => {
  const asked: (readonly [boolean, boolean])[] = [];
  const podRuntime: PodRuntime = {
    ...createRuntime([]),
    async *logs(_pod, { previous, awaitsRun }) {
      asked.push([previous, awaitsRun]);
      yield* [];
    },
  };
  await using server = await openServer({ podRuntime });
  await server.ask('POST', pods, { body: pod });
  const terminated = { exitCode: 1, reason: 'Error' };
  const states = [{ waiting: { reason: 'CrashLoopBackOff' } }, { running: {} }, { terminated }];
  for (const state of states) {
    const run = { name: 'one', ready: false, restartCount: 1, image: 'x', imageID: 'x', state };
    const containerStatuses = [{ ...run, lastState: { terminated } }];
    const body = { status: { containerStatuses } };
    const contentType = 'application/merge-patch+json';
    const patched = await server.ask('PATCH', `${pods}/p/status`, { body, contentType });
    assert.equal(patched.status, 200);
    await server.ask('GET', `${pods}/p/log`, { query: { previous: 'true' } });
  }
  assert.deepEqual(asked, [
    [true, true],
    [true, false],
    [true, false],
  ]);
});

describe('pods/exec, pods/attach and pods/portforward', () => {
  const spdy = { connection: 'Upgrade', upgrade: 'SPDY/3.1' };
  const webSocket = { connection: 'keep-alive, Upgrade', upgrade: 'websocket' };
  const handshake = {
    ...webSocket,
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  };
  const exec = `${pods}/p/exec?command=ls&stdout=1`;
  const cases: readonly (readonly [string, string, Record<string, string>, number, RegExp])[] = [
    ['no upgrade', exec, {}, 400, /Upgrade request required/],
    ['another protocol', exec, { ...spdy, upgrade: 'h2c' }, 400, /protocol .*h2c.* is not served/],
    ['an unknown Pod', `${pods}/q/exec?command=ls&stdout=1`, spdy, 404, /pods .*q.* not found/],
    ['an unknown container', `${exec}&container=two`, spdy, 400, /container two is not valid/],
    ['no command', `${pods}/p/exec?stdout=1`, spdy, 400, /at least 1 command/],
    ['no streams', `${pods}/p/exec?command=ls`, spdy, 400, /at least 1 of stdin, stdout/],
    [
      'unknown stream protocols',
      exec,
      { ...spdy, 'x-stream-protocol-version': 'v9.channel.k8s.io' },
      403,
      /client supports \[v9.channel.k8s.io\], server accepts \[v4.channel.k8s.io /,
    ],
    [
      'unknown channel protocols',
      exec,
      { ...handshake, 'sec-websocket-protocol': 'v9.channel.k8s.io' },
      400,
      /client supports \[v9.channel.k8s.io\]/,
    ],
    ['a WebSocket without a key', exec, webSocket, 400, /version 13 with a key/],
    ['channels without ports', `${pods}/p/portforward`, handshake, 400, /ports.* is required/],
    ['a port that is none', `${pods}/p/portforward?ports=70000`, handshake, 400, /at most 100/],
  ];
  for (const [name, path, headers, status, message] of cases) {
    it(`refuses ${name} before anything is started`, async () => {
      const started: ExecOptions[] = [];
      await using server = await openServer({ podRuntime: createRuntime(started) });
      await server.ask('POST', pods, { body: pod });
      const answer = await get(server, path, headers);
      assert.equal(answer.status, status);
      assert.match(JSON.stringify(answer.body), message);
      assert.deepEqual(started, []);
    });
  }

  it('chooses the protocol that the client likes best', async () => {
    await using server = await openServer({ podRuntime: createRuntime([]) });
    await server.ask('POST', pods, { body: pod });
    const choose = async (headers: Record<string, string>): Promise<string | undefined> => {
      const answer = await get(server, exec, headers);
      assert.equal(answer.status, 101);
      return (
        answer.headers['x-stream-protocol-version'] ?? answer.headers['sec-websocket-protocol']
      );
    };
    const versions = 'v5.channel.k8s.io, v4.channel.k8s.io, channel.k8s.io';
    assert.equal(
      await choose({ ...spdy, 'x-stream-protocol-version': versions }),
      'v4.channel.k8s.io',
    );
    assert.equal(await choose(spdy), 'channel.k8s.io');
    assert.equal(
      await choose({ ...handshake, 'sec-websocket-protocol': versions }),
      'v5.channel.k8s.io',
    );
    assert.equal(await choose(handshake), undefined);
  });

  it('says so when nothing runs Pods here', async () => {
    await using server = await openServer({});
    await server.ask('POST', pods, { body: pod });
    const answer = await get(server, exec, spdy);
    assert.equal(answer.status, 501);
  });
});

interface OpenedFront extends AsyncDisposable {
  readonly started: ExecOptions[];
  /** Asks for another protocol; resolves with the connection, or with the refusal. */
  upgrade(path: string, headers: Record<string, string>): Promise<Socket | Refusal>;
  close(): Promise<void>;
}

interface Refusal {
  readonly status: number;
  readonly body: string;
}

async function openFront(): Promise<OpenedFront> {
  const directory = await mkdtemp(join(tmpdir(), 'fnlet-streams-'));
  const tls = await loadCertificates({ directory, clock: systemClock });
  const started: ExecOptions[] = [];
  const server = await openServer({
    tokens: [{ token, user: adminUser }],
    podRuntime: createRuntime(started),
  });
  await server.ask('POST', pods, { body: pod });
  const options = { host: '127.0.0.1', port: 0, tls, clock: systemClock };
  const front = await listenHttps(server.server, options);
  return {
    started,
    close: () => front.close(),
    async upgrade(path, headers) {
      const all = { connection: 'Upgrade', upgrade: 'SPDY/3.1', ...headers };
      const request = https.request(`${front.url}${path}`, { ca: tls.caPem, headers: all });
      request.end();
      const upgraded = once(request, 'upgrade').then(([, socket]): Socket => socket);
      const refused = once(request, 'response').then(
        async ([response]): Promise<Refusal> => ({
          status: response.statusCode,
          body: await text(response),
        }),
      );
      return Promise.race([upgraded, refused]);
    },
    async [Symbol.asyncDispose]() {
      await front.close();
      await server[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}

describe('a change of protocol over HTTPS', () => {
  const bearer = { authorization: `Bearer ${token}` };
  const v4 = { 'x-stream-protocol-version': 'v4.channel.k8s.io' };

  it('is refused like any request of somebody without rights', async () => {
    await using front = await openFront();
    const nobody = await front.upgrade(`${pods}/p/exec?command=ls&stdout=1`, {});
    const wrong = { authorization: 'Bearer another' };
    const liar = await front.upgrade(`${pods}/p/exec?command=ls&stdout=1`, wrong);
    assert.ok('status' in nobody && 'status' in liar);
    assert.deepEqual([nobody.status, liar.status], [403, 401]);
    assert.equal(JSON.parse(nobody.body).reason, 'Forbidden');
    assert.deepEqual(front.started, []);
  });

  it('runs a command, and tells its output and end', async () => {
    await using front = await openFront();
    const path = `${pods}/p/exec?command=say&command=it&stdout=1`;
    const socket = await front.upgrade(path, { ...bearer, ...v4 });
    assert.ok(!('status' in socket));
    // The server ends the connection by itself; whoever listens only then may be late.
    const closed = once(socket, 'close');
    const client = new SpdyClient(socket);
    const error = await client.open({ streamType: 'error' });
    const stdout = await client.open({ streamType: 'stdout' });
    await until(() => client.received(error).ended);
    assert.equal(client.received(stdout).text, 'say it');
    assert.equal(JSON.parse(client.received(error).text).status, 'Success');
    socket.end();
    await closed;
  });

  it('ends the command when the client is gone, and when the front closes', async () => {
    await using front = await openFront();
    const connect = async (): Promise<Socket> => {
      const path = `${pods}/p/exec?command=wait&stdout=1`;
      const socket = await front.upgrade(path, { ...bearer, ...v4 });
      assert.ok(!('status' in socket));
      const client = new SpdyClient(socket);
      await client.open({ streamType: 'error' });
      await client.open({ streamType: 'stdout' });
      return socket;
    };
    const first = await connect();
    await until(() => front.started.length === 1);
    first.destroy();
    await until(() => front.started[0]?.signal.aborted === true);
    const second = await connect();
    await until(() => front.started.length === 2);
    const closed = once(second, 'close');
    await front.close();
    assert.equal(front.started[1]?.signal.aborted, true);
    await closed;
  });

  it('carries a watch, an event in each message, until the client leaves', async () => {
    await using front = await openFront();
    const headers = {
      ...{ ...bearer, upgrade: 'websocket', origin: 'https://127.0.0.1' },
      ...{ 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' },
    };
    const socket = await front.upgrade(`${pods}?watch=true&resourceVersion=0`, headers);
    assert.ok(!('status' in socket));
    const closed = once(socket, 'close');
    let received = Buffer.alloc(0);
    socket.on('data', (chunk: Uint8Array) => {
      received = Buffer.concat([received, chunk]);
    });
    await until(() => received.at(-1) === lineFeed);
    // One whole message of text, whose length takes two bytes.
    assert.deepEqual([received[0], received[1]], [0x81, 126]);
    assert.equal(received.readUInt16BE(2), received.length - 4);
    const { type, object } = JSON.parse(received.subarray(4).toString());
    assert.deepEqual([type, object.metadata.name], ['ADDED', 'p']);
    received = Buffer.alloc(0);
    // A masked close frame without a reason.
    socket.write(Buffer.from([0x88, 0x80, 0, 0, 0, 0]));
    await closed;
    // Closed for a normal reason, 1000.
    assert.deepEqual([...received], [0x88, 2, 0x03, 0xe8]);
  });

  it('carries no watch of somebody who names no origin', async () => {
    await using front = await openFront();
    const headers = { ...bearer, upgrade: 'websocket', 'sec-websocket-version': '13' };
    const answer = await front.upgrade(`${pods}?watch=true`, headers);
    assert.ok('status' in answer);
    assert.equal(answer.status, 403);
  });

  it('is not needed for what needs none: the answer comes in HTTP', async () => {
    await using front = await openFront();
    const answer = await front.upgrade('/version', bearer);
    assert.ok('status' in answer);
    assert.equal(answer.status, 200);
    assert.match(JSON.parse(answer.body).gitVersion, /^v1\./);
  });
});

const lineFeed = 0x0a;

/** Real sockets take their time; the test ends as soon as it holds. */
async function until(condition: () => boolean): Promise<void> {
  const endMs = performance.now() + 10_000;
  while (!condition()) {
    if (performance.now() > endMs) throw new Error('Waited in vain for the other side');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
