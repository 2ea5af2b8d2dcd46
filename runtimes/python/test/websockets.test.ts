/** WebSockets of ASGI apps, with a real client, and with octets that none would send. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { needsPython } from './python.ts';
import { StartedRunner, type StartOptions } from './started-runner.ts';

// In the manner of Starlette: the path says what is done with the WebSocket.
const app = `import asyncio
import json

async def app(scope, receive, send):
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200})
        await send({"type": "http.response.body", "body": b"plain"})
        return
    if scope["type"] != "websocket":
        return
    assert await receive() == {"type": "websocket.connect"}
    path = scope["path"]
    if path == "/refused":
        return await send({"type": "websocket.close", "code": 1008})
    if path == "/denied":
        await send({"type": "websocket.http.response.start", "status": 401, "headers": [(b"x-why", b"key")]})
        await send({"type": "websocket.http.response.body", "body": b"no key"})
        print("then", (await receive())["type"])
        return
    if path == "/silent":
        return
    if path == "/raises":
        raise ValueError("before")
    if path == "/slow":
        await asyncio.sleep(60)
    await send({"type": "websocket.accept", "subprotocol": (scope["subprotocols"] or [None])[-1],
                "headers": [(b"x-own", b"1")]})
    if path == "/ends":
        return
    if path == "/deaf":
        await asyncio.Event().wait()
    while True:
        message = await receive()
        if message["type"] == "websocket.disconnect":
            print("disconnected", message["code"], message["reason"])
            try:
                await send({"type": "websocket.send", "text": "late"})
            except OSError as error:
                print("late:", error)
            return
        text = message.get("text")
        if text == "scope":
            told = {name: scope[name] for name in ("type", "scheme", "path", "subprotocols", "http_version")}
            await send({"type": "websocket.send", "text": json.dumps(told)})
        elif text == "raise":
            raise ValueError("after")
        elif text == "close":
            await send({"type": "websocket.close", "code": 4001, "reason": "enough"})
        elif text == "wait":
            await asyncio.sleep(0.3)
        elif text is not None:
            await send({"type": "websocket.send", "text": "got " + text})
        else:
            await send({"type": "websocket.send", "bytes": message["bytes"][::-1]})
`;

interface PortedRunner extends AsyncDisposable {
  readonly runner: StartedRunner;
  readonly url: string;
}

async function start(options: Partial<StartOptions> = {}): Promise<PortedRunner> {
  const runner = StartedRunner.warm();
  const warm = await runner.nextReport();
  runner.specialise({ files: { 'main.py': app }, ...options });
  assert.equal((await runner.outcome()).type, 'ready');
  const port = warm.type === 'warm' ? warm.port : 0;
  return {
    ...{ runner, url: `ws://127.0.0.1:${port}` },
    [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
  };
}

async function open(url: string, protocols: string[] = []): Promise<WebSocket> {
  const socket = new WebSocket(url, protocols);
  socket.binaryType = 'arraybuffer';
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(new Error('the WebSocket was refused')));
  });
  return socket;
}

const next = (socket: WebSocket): Promise<string | ArrayBuffer> =>
  new Promise((resolve) => {
    socket.addEventListener('message', ({ data }) => resolve(data), { once: true });
  });

function ask(socket: WebSocket, message: string | Uint8Array<ArrayBuffer>): Promise<unknown> {
  const answered = next(socket);
  socket.send(message);
  return answered;
}

const closed = (socket: WebSocket): Promise<{ code: number; reason: string }> =>
  new Promise((resolve) => {
    socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason }));
  });

test('an app talks text and bytes, and is told what was asked for', needsPython, async () => {
  await using started = await start();
  const socket = await open(`${started.url}/talk?x=1`, ['soap', 'wamp']);
  assert.equal(socket.protocol, 'wamp');
  assert.equal(await ask(socket, 'ä €'), 'got ä €');
  const bytes = await ask(socket, Uint8Array.of(1, 2, 255));
  assert.deepEqual(bytes instanceof ArrayBuffer && [...new Uint8Array(bytes)], [255, 2, 1]);
  assert.deepEqual(JSON.parse(String(await ask(socket, 'scope'))), {
    ...{ type: 'websocket', scheme: 'ws', path: '/talk', http_version: '1.1' },
    subprotocols: ['soap', 'wamp'],
  });
  const large = 'x'.repeat(300_000);
  assert.equal(await ask(socket, large), `got ${large}`);
  const over = closed(socket);
  socket.close(3000, 'bye');
  assert.deepEqual(await over, { code: 3000, reason: '' });
  await started.runner.logged('disconnected 3000 bye');
  await started.runner.logged('late: Cannot send: the WebSocket is closed');
});

test('an app closes with its code, and its end and its failure are one', needsPython, async () => {
  await using started = await start();
  const own = await open(started.url);
  const ownOver = closed(own);
  own.send('close');
  assert.deepEqual(await ownOver, { code: 4001, reason: 'enough' });
  assert.equal((await closed(await open(`${started.url}/ends`))).code, 1000);
  const failing = await open(started.url);
  const failed = closed(failing);
  failing.send('raise');
  assert.equal((await failed).code, 1011);
  await started.runner.logged('ValueError: after');
  assert.equal((await started.runner.call()).body, 'plain');
});

test('before it is opened, an app answers as it does any request', needsPython, async () => {
  await using started = await start({ limits: { timeoutMs: 300 } });
  const { runner } = started;
  const handshake = (path: string, more = ''): Promise<string> =>
    exchange(runner, `GET ${path} HTTP/1.1\r\n${fields}${more}\r\n`);
  assert.match(await handshake('/refused'), /^HTTP\/1\.1 403 /);
  const denied = await handshake('/denied');
  assert.match(denied, /^HTTP\/1\.1 401 [\s\S]*x-why: key\r\n[\s\S]*\r\n\r\nno key$/);
  await runner.logged('then websocket.disconnect');
  assert.match(await handshake('/silent'), /^HTTP\/1\.1 500 /);
  await runner.logged('the ASGI app ended without an answer');
  assert.match(await handshake('/raises'), /^HTTP\/1\.1 500 /);
  assert.match(await handshake('/slow'), /^HTTP\/1\.1 408 /);
  const old = await exchange(runner, `GET / HTTP/1.1\r\n${fields.replace('13', '8')}\r\n`);
  assert.match(old, /^HTTP\/1\.1 426 [\s\S]*sec-websocket-version: 13\r\n/);
  const bodied = await exchange(runner, `POST / HTTP/1.1\r\n${fields}Content-Length: 1\r\n\r\nx`);
  assert.match(bodied, /^HTTP\/1\.1 400 /);
});

test('an open WebSocket has no deadline, and its silence is no failure', needsPython, async () => {
  await using started = await start({ limits: { timeoutMs: 100 } });
  const socket = await open(started.url);
  socket.send('wait');
  assert.equal(await ask(socket, 'still there'), 'got still there');
  socket.close();
});

const fields = `Host: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${[
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Version: 13',
].join('\r\n')}\r\n`;

/** All that comes for these octets, until the Runner closes, or `until` is there. */
async function exchange(
  { socketPath }: StartedRunner,
  octets: string | Uint8Array,
): Promise<string> {
  const socket: Socket = connect({ path: socketPath, allowHalfOpen: true });
  let text = '';
  socket.setEncoding('latin1').on('data', (part: string) => {
    text += part;
    if (/^HTTP\/1\.1 [2-5]/.test(text)) socket.end();
  });
  socket.on('error', () => {});
  socket.write(octets);
  await once(socket, 'end');
  socket.destroy();
  return text;
}

const frame = (first: number, payload: string, length = payload.length): Buffer =>
  Buffer.concat([Buffer.from([first, 0x80 | length, 0, 0, 0, 0]), Buffer.from(payload, 'latin1')]);

/** What the Runner says after the handshake to one who sends these frames, and then nothing. */
async function say(runner: StartedRunner, ...frames: readonly Buffer[]): Promise<Buffer> {
  const head = Buffer.from(`GET / HTTP/1.1\r\n${fields}\r\n`);
  const answer = await exchange(runner, Buffer.concat([head, ...frames]));
  assert.match(answer, /^HTTP\/1\.1 101 /);
  return Buffer.from(answer.slice(answer.indexOf('\r\n\r\n') + 4), 'latin1');
}

const closeOf = (octets: Buffer): number => {
  assert.equal(octets[0], 0x88);
  return octets.readUInt16BE(2);
};

test('what was sent ahead of the answer is heard, pings are answered', needsPython, async () => {
  await using started = await start();
  const said = await say(
    started.runner,
    frame(0x01, 'a'),
    frame(0x89, 'ping'),
    frame(0x80, 'b'),
    frame(0x88, '\x03\xe8'),
  );
  assert.equal(said.subarray(0, 6).toString('latin1'), '\x8a\x04ping');
  assert.equal(closeOf(said.subarray(6)), 1000);
});

test('what is no frame closes the connection, and says why', needsPython, async () => {
  await using started = await start({ limits: { bodyBytesMax: 50 } });
  const { runner } = started;
  const unmasked = Buffer.from('\x81\x01a', 'latin1');
  assert.equal(closeOf(await say(runner, unmasked)), 1002);
  assert.equal(closeOf(await say(runner, frame(0x81, '\xff'))), 1007);
  assert.equal(closeOf(await say(runner, frame(0x82, '', 51))), 1009);
  assert.equal(closeOf(await say(runner, frame(0x88, '\x03\xed'))), 1002);
  await runner.logged('disconnected 1009 expected at most 50 bytes');
  assert.equal((await runner.call()).body, 'plain');
});

test('who goes without a word has gone with 1006', needsPython, async () => {
  await using started = await start();
  const socket = connect(started.runner.socketPath);
  socket.write(`GET / HTTP/1.1\r\n${fields}\r\n`);
  await once(socket, 'data');
  socket.destroy();
  await started.runner.logged('disconnected 1006');
});

test('an app that takes no messages is sent no endless ones', needsPython, async () => {
  await using started = await start();
  const { runner } = started;
  const socket = connect(runner.socketPath);
  socket.write(`GET /deaf HTTP/1.1\r\n${fields}\r\n`);
  await once(socket, 'data');
  const messages = Buffer.concat(Array(80_000).fill(frame(0x82, 'x'.repeat(100))));
  socket.write(messages);
  let left = 0;
  for (let calls = 0; calls < 50; calls++) {
    await runner.call();
    if (socket.writableLength !== left) calls = 0;
    left = socket.writableLength;
  }
  // What is not left is in the kernel, and some messages are with the app.
  assert.ok(left > messages.length / 2, `found ${left} of ${messages.length} not sent`);
  socket.destroy();
});

test('messages that come faster than they are taken all arrive', needsPython, async () => {
  await using started = await start();
  const socket = await open(started.url);
  socket.send('wait');
  const sizes = Array.from({ length: 300 }, (_, i) => i * 10);
  const answers: number[] = [];
  const all = new Promise<void>((resolve) => {
    socket.addEventListener('message', ({ data }) => {
      answers.push(data.byteLength);
      if (answers.length === sizes.length) resolve();
    });
  });
  for (const size of sizes) socket.send(new Uint8Array(size));
  await all;
  assert.deepEqual(answers, sizes);
  socket.close();
});

test('an Instance that ends says 1001 to both sides', needsPython, async () => {
  await using started = await start();
  const { runner } = started;
  const socket = await open(started.url);
  const over = closed(socket);
  runner.send({ type: 'drain' });
  assert.equal((await over).code, 1001);
  await runner.exited();
  assert.match(runner.log, /disconnected 1001/);
});

test('handlers that are no apps take none', needsPython, async () => {
  const files = { 'main.py': 'def handler(request): return "plain"' };
  await using started = await start({ files });
  const answer = await exchange(started.runner, `GET / HTTP/1.1\r\n${fields}\r\n`);
  assert.match(answer, /^HTTP\/1\.1 501 [\s\S]*expected an ASGI app/);
});
