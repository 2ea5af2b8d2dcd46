/** HTTP/1.1 as it goes over the wire: what is refused, what is kept open. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ClientRequest } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { needsPython } from './python.ts';
import { readAnswer, StartedRunner } from './started-runner.ts';

const echo = {
  'handler.py': `
def handler(request):
    return f"{request.method} {request.path} {request.body.decode()}"`,
};

/** Sends these bytes and returns all that comes back until the Runner closes the connection. */
function exchange(runner: StartedRunner, ...parts: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(runner.socketPath);
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text;
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(received));
    // Each part in a packet of its own.
    const send = ([part, ...rest]: readonly string[]): void => {
      if (part !== undefined) socket.write(part, 'latin1', () => setImmediate(send, rest));
    };
    send(parts);
  });
}

function statuses(received: string): string[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status = '']) => status);
}

const close = 'Connection: close\r\n\r\n';

test(
  'requests on one connection are answered in order, however they are cut',
  needsPython,
  async () => {
    await using runner = await StartedRunner.start({ files: echo });
    const sent =
      'GET /a HTTP/1.1\r\nHost: x\r\n\r\n' +
      '\r\nPOST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody' +
      'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(50) +
      'POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nch\r\n3\r\nunk\r\n0\r\n\r\n' +
      `HEAD /d HTTP/1.1\r\nHost: x\r\n${close}`;
    for (const parts of [[sent], sent.match(/[\s\S]{1,7}/g) ?? []]) {
      const received = await exchange(runner, ...parts);
      assert.deepEqual(new Set(statuses(received)), new Set(['200']));
      assert.equal(statuses(received).length, 54);
      assert.match(
        received,
        /GET \/a [\s\S]*POST \/b body[\s\S]*POST \/c chunk[\s\S]*content-length: 8\r\n/,
      );
      assert.match(received, /connection: close\r\n\r\n$/);
    }
  },
);

test(
  'what could smuggle a request is refused, and the connection closed',
  needsPython,
  async () => {
    await using runner = await StartedRunner.start({ files: echo });
    const post = 'POST / HTTP/1.1\r\nHost: x\r\n';
    const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
    const attempts: readonly (readonly [string, string])[] = [
      ['400', `${post}Content-Length: 4\r\nContent-Length: 0\r\n\r\nbody${smuggled}`],
      ['400', `${post}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`],
      [
        '400',
        `${post}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n${smuggled}`,
      ],
      ['501', `${post}Transfer-Encoding: gzip, chunked\r\n\r\n${smuggled}`],
      ['400', `${post}Transfer-Encoding : chunked\r\n\r\n${smuggled}`],
      ['400', `${post}X: a\r\n Transfer-Encoding: chunked\r\n\r\n${smuggled}`],
      ['400', `${post}X: a\nTransfer-Encoding: chunked\r\n\r\n${smuggled}`],
      ['400', `${post}Transfer-Encoding: chunked\r\n\r\n5\r\nabc\r\n0\r\n\r\n${smuggled}`],
      ['400', `${post}Transfer-Encoding: chunked\r\n\r\n0x3\r\nabc\r\n0\r\n\r\n${smuggled}`],
      ['400', `${post}Content-Length: 0x4\r\n\r\nbody${smuggled}`],
      ['400', `GET / HTTP/1.1\nHost: x\n\n${smuggled}`],
      ['400', `GET / HTTP/1.1\r\n\r\n${smuggled}`],
      ['505', `GET / HTTP/3.0\r\nHost: x\r\n\r\n${smuggled}`],
      ['431', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(40_000)}\r\n\r\n${smuggled}`],
    ];
    for (const [status, bytes] of attempts) {
      const received = await exchange(runner, bytes);
      assert.deepEqual(statuses(received), [status], bytes);
      assert.doesNotMatch(received, /smuggled/);
    }
  },
);

test(
  'a client that waits for it is told to go on, unless its body is refused',
  needsPython,
  async () => {
    await using runner = await StartedRunner.start({ files: echo, limits: { bodyBytesMax: 10 } });
    const expecting = (length: number): ClientRequest =>
      runner.request({
        method: 'POST',
        headers: { expect: '100-continue', 'content-length': `${length}` },
      });
    const small = expecting(4);
    small.flushHeaders();
    await once(small, 'continue');
    small.end('body');
    assert.equal((await readAnswer(small)).body, 'POST / body');
    const large = expecting(11);
    large.on('continue', () => assert.fail('told to go on'));
    large.flushHeaders();
    assert.equal((await readAnswer(large)).status, 413);
  },
);

test(
  'HTTP/1.0 gets answers without chunks and keeps a connection on request',
  needsPython,
  async () => {
    await using runner = await StartedRunner.start({
      files: {
        'handler.py': `
def handler(request):
    return iter(["a", "b"]) if request.path == "/stream" else "whole"`,
      },
    });
    const received = await exchange(
      runner,
      'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n',
      'GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n',
    );
    assert.match(received, /connection: keep-alive\r\n\r\nwhole/);
    assert.match(received, /connection: close\r\n\r\ndata: a\n\ndata: b\n\n$/);
  },
);

test(
  'answers without a body have no length, and headers of the connection are dropped',
  needsPython,
  async () => {
    await using runner = await StartedRunner.start({
      files: {
        'handler.py': `
def handler(request):
    if request.path == "/empty":
        return None, 304
    return "x", 200, [("Transfer-Encoding", "gzip"), ("Content-Length", "9"), ("X", "é"), ("X", "2")]`,
      },
    });
    const empty = await exchange(runner, `GET /empty HTTP/1.1\r\nHost: x\r\n${close}`);
    assert.doesNotMatch(empty, /content-length|transfer-encoding/i);
    const full = await exchange(runner, `GET / HTTP/1.1\r\nHost: x\r\n${close}`);
    assert.doesNotMatch(full, /gzip|: 9/i);
    assert.match(full, /\r\nX: \xe9\r\nX: 2\r\n/);
    assert.match(full, /\r\ncontent-length: 1\r\n[\s\S]*\r\n\r\nx$/);
  },
);

test('an upgrade to WebSocket is refused, any other offer passed over', needsPython, async () => {
  await using runner = await StartedRunner.start({ files: echo });
  const ask = (protocol: string): string =>
    `GET / HTTP/1.1\r\nHost: x\r\nUpgrade: ${protocol}\r\nConnection: Upgrade, close\r\n\r\n`;
  assert.deepEqual(statuses(await exchange(runner, ask('websocket'))), ['501']);
  assert.deepEqual(statuses(await exchange(runner, ask('h2c'))), ['200']);
});

const requests = [
  'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
  'POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nCookie: a=b; c\r\n\r\n[1,2]',
  'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc',
  'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET http://x/%zz?%ff HTTP/1.0\r\n\r\n',
];

/** Requests in a row, cut and spoilt in some places. */
const spoilt: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(fc.constantFrom(...requests), { minLength: 1, maxLength: 3 }),
    fc.array(
      fc.record({
        at: fc.nat(),
        removed: fc.nat(6),
        added: fc.constantFrom('', '\r\n', '\n', '\0', ':', ' ', '\xff', 'Content-Length: 3\r\n'),
      }),
      { maxLength: 4 },
    ),
  )
  .map(([parts, edits]) => {
    let text = parts.join('');
    for (const { at, removed, added } of edits) {
      const from = at % (text.length + 1);
      text = text.slice(0, from) + added + text.slice(from + removed);
    }
    return text;
  });

test('whatever is sent, it answers on and nothing goes wrong inside', needsPython, async () => {
  await using runner = await StartedRunner.start({
    files: { 'handler.py': 'def handler(request): return request.path' },
  });
  const send = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(runner.socketPath, () => socket.end(text, 'latin1'));
      socket.on('error', () => {});
      socket.on('close', () => resolve());
      socket.resume();
    });
  await fc.assert(fc.asyncProperty(spoilt, send), { numRuns: 300 });
  assert.equal((await runner.call({ path: '/still' })).body, '/still');
  assert.equal(runner.log, '');
});
