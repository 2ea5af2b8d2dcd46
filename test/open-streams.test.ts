/** WebSockets and server-sent events through sleep, wake, update, eviction and Ctrl-C. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { needsPython, pythonName } from '../runtimes/python/test/python.ts';
import { createApi, type TestApi } from './api-access.ts';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

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

// Answers with its version and its process; streams events; echoes WebSocket messages below 126
// octets.
const sourceOf = (version: number): string => `
import { createHash } from 'node:crypto';
const me = '${version} ' + process.pid;
export default (request) => {
  if (!request.url.endsWith('/events')) return me;
  return (async function* () {
    yield { data: me };
    await new Promise(() => {});
  })();
};
export function upgrade(request, socket) {
  const key = request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
  const accept = createHash('sha1').update(key).digest('base64');
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\n' +
    'Upgrade: websocket\\r\\nSec-WebSocket-Accept: ' + accept + '\\r\\n\\r\\n');
  const say = (opcode, bytes) =>
    socket.write(Buffer.concat([Buffer.from([0x80 | opcode, bytes.length]), bytes]));
  socket.on('data', (frame) => {
    const payload = frame.subarray(6).map((octet, i) => octet ^ frame[2 + (i % 4)]);
    if ((frame[0] & 15) !== 8) return say(1, Buffer.from(me + ' ' + payload));
    say(8, payload);
    socket.end();
  });
}`;

/** One subscriber of server-sent events. */
interface Events {
  readonly text: () => string;
  /** Resolves when the answer ended whole, rejects when it was cut. */
  readonly ended: Promise<void>;
}

async function openEvents(url: string): Promise<Events> {
  const answer = await fetch(`${url}/events`);
  assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/);
  let text = '';
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) text += decoder.decode(chunk, { stream: true });
  };
  const ended = read();
  ended.catch(() => {});
  await until(() => text.includes('\n\n'), { what: 'the first event' });
  return { text: () => text, ended };
}

/** One WebSocket: what it is answered, and the code with which it is closed. */
interface Talk {
  ask(text: string): Promise<string>;
  readonly closed: Promise<number>;
  close(): void;
}

async function openTalk(url: string): Promise<Talk> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'));
  const closed = new Promise<number>((resolve) => {
    socket.addEventListener('close', ({ code }) => resolve(code));
  });
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(new Error('The WebSocket did not open')));
  });
  const ask = (text: string): Promise<string> =>
    new Promise((resolve) => {
      socket.addEventListener('message', ({ data }) => resolve(String(data)), { once: true });
      socket.send(text);
    });
  return { ask, closed, close: () => socket.close(1000) };
}

const pidOf = (text: string): string => /\d+ (\d+)/.exec(text)?.[1] ?? text;
const isRunning = (pid: string): boolean => existsSync(`/proc/${pid}`);

async function deploy(name: string, version: number, scale = {}): Promise<string> {
  await api.applyFunction(name, { source: { inline: sourceOf(version) }, scale });
  await api.waitReady(name);
  return `${fnlet.endpoints.gateway}/default/${name}`;
}

test('a stream wakes a Function, keeps it awake, and lets it sleep at its end', async () => {
  const url = await deploy('sleeper', 1, { idleAfter: '1s' });
  const first = pidOf(await (await fetch(url)).text());
  await until(() => !isRunning(first), { what: 'the first process to end' });
  const talk = await openTalk(url);
  const pid = pidOf(await talk.ask('awake?'));
  assert.notEqual(pid, first);
  const events = await openEvents(url);
  assert.equal(pidOf(events.text()), pid);
  // Another one sleeps after a second; by then this one would have, too.
  const other = await deploy('other', 1, { idleAfter: '1s' });
  const otherPid = pidOf(await (await fetch(other)).text());
  await until(() => !isRunning(otherPid), { what: 'the other Function to sleep' });
  assert.equal(pidOf(await talk.ask('still?')), pid);
  talk.close();
  assert.equal(await talk.closed, 1000);
  assert.ok(isRunning(pid), 'events still come from it');
});

test('streams go on through an update, while calls go to the new code', async () => {
  const url = await deploy('updated', 1);
  const events = await openEvents(url);
  const talk = await openTalk(url);
  const before = await talk.ask('one');
  assert.match(before, /^1 \d+ one$/);
  await deploy('updated', 2);
  assert.match(await (await fetch(url)).text(), /^2 /);
  assert.equal(await talk.ask('one'), before);
  assert.match(await (await openTalk(url)).ask('two'), /^2 \d+ two$/);
  assert.equal(pidOf(events.text()), pidOf(before));
});

test('an Instance that is evicted ends its streams in time, and is let go', async () => {
  const url = await deploy('evicted', 1);
  const events = await openEvents(url);
  const talk = await openTalk(url);
  const pid = pidOf(await talk.ask('there?'));
  const [pod] = await api.podsOf('evicted');
  await api.deletePod(pod?.name ?? '', 3);
  await events.ended;
  assert.match(events.text(), /^data: 1 \d+\n\n$/);
  assert.equal(await talk.closed, 1001);
  await until(() => !isRunning(pid), { what: 'the process to end' });
  assert.match(await (await fetch(url)).text(), /^1 /);
});

const app = `import os

async def app(scope, receive, send):
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200})
        return await send({"type": "http.response.body", "body": f"1 {os.getpid()}".encode()})
    while (message := await receive())["type"] != "websocket.disconnect":
        if message["type"] == "websocket.connect":
            await send({"type": "websocket.accept"})
        else:
            await send({"type": "websocket.send", "text": f"1 {os.getpid()} {message['text']}"})
    print("told", message["code"])
`;

test('a WebSocket wakes an app in Python, and ends with its Instance', needsPython, async () => {
  const source = { files: { 'app.py': app } };
  const scale = { idleAfter: '1s' };
  await api.applyFunction('snake', { runtime: pythonName, source, scale });
  await api.waitReady('snake');
  const url = `${fnlet.endpoints.gateway}/default/snake`;
  const first = pidOf(await (await fetch(url)).text());
  await until(() => !isRunning(first), { what: 'the first process to end' });
  const talk = await openTalk(url);
  const pid = pidOf(await talk.ask('awake?'));
  assert.notEqual(pid, first);
  const other = await deploy('neighbour', 1, { idleAfter: '1s' });
  const otherPid = pidOf(await (await fetch(other)).text());
  await until(() => !isRunning(otherPid), { what: 'the other Function to sleep' });
  assert.equal(await talk.ask('still?'), `1 ${pid} still?`);
  const [pod] = await api.podsOf('snake');
  await api.deletePod(pod?.name ?? '', 3);
  assert.equal(await talk.closed, 1001);
  await until(() => !isRunning(pid), { what: 'the process to end' });
  const again = await openTalk(url);
  assert.match(await again.ask('x'), /^1 \d+ x$/);
  again.close();
  assert.equal(await again.closed, 1000);
});

test('Ctrl-C ends streams as their protocols have it, and at once', async () => {
  const url = await deploy('stopped', 1);
  const events = await openEvents(url);
  const talk = await openTalk(url);
  await talk.ask('there?');
  const startMs = performance.now();
  const stopped = fnlet.stop('SIGINT');
  await events.ended;
  assert.equal(await talk.closed, 1001);
  assert.equal(await stopped, 0);
  assert.ok(performance.now() - startMs < 5000, 'nobody waited for what never ends');
});
