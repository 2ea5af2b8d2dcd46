import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import http from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { nodeRunner, readAnswer, StartedRunner } from './started-runner.ts';

const slow = {
  'handler.mjs': `
    import { setTimeout as sleep } from 'node:timers/promises';
    export default async (request) => {
      console.log('started', request.url);
      await sleep(Number(new URL(request.url).searchParams.get('ms') ?? 0));
      return 'done';
    };`,
};

test('a Runner listens on both addresses before it has code', async () => {
  await using runner = StartedRunner.warm();
  const report = await runner.nextReport();
  assert.ok(report.type === 'warm' && report.port > 0);
  const { port } = report;
  for (const [path, status] of [
    ['/healthz', 200],
    ['/readyz', 503],
    ['/', 503],
  ] as const) {
    assert.equal((await runner.call({ path })).status, status);
    const overTcp: http.ClientRequest = http.get({ port, path, agent: false });
    assert.equal((await readAnswer(overTcp)).status, status);
  }
  runner.specialise({ files: slow });
  const ready = await runner.outcome();
  assert.ok(ready.type === 'ready' && ready.loadMs > 0 && ready.loadMs < 1000);
  assert.equal((await runner.call({ path: '/readyz' })).status, 200);
});

const loading = (end: string): Readonly<Record<string, string>> => ({
  'handler.mjs': `
    import { once } from 'node:events';
    import { createServer } from 'node:net';
    const server = createServer().listen(process.env.SIGNAL);
    console.log('loading');
    const [socket] = await once(server, 'connection');
    socket.destroy();
    server.close();
    ${end}`,
});

for (const [end, status] of [
  ["export default () => 'done';", 200],
  ["throw new Error('broken');", 503],
] as const) {
  test(`a call that comes while code is loaded waits, and then gets ${status}`, async () => {
    await using runner = StartedRunner.warm();
    await runner.nextReport();
    const signal = `${runner.socketPath}.signal`;
    runner.specialise({ files: loading(end), env: { SIGNAL: signal } });
    await runner.logged('loading');
    const call = runner.call();
    assert.equal((await runner.call({ path: '/readyz' })).status, 503);
    connect(signal).on('error', () => {});
    assert.equal((await call).status, status);
  });
}

test('a Runner whose TCP address cannot be had reports port 0 and serves on its socket', async () => {
  await using runner = StartedRunner.warm('203.0.113.1');
  assert.deepEqual(await runner.nextReport(), { type: 'warm', port: 0 });
  assert.match(runner.log, /Cannot listen on 203\.0\.113\.1:0: .*EADDRNOTAVAIL/);
  assert.equal((await runner.call({ path: '/healthz' })).status, 200);
});

// The cache of Node 22 does not hold what was stripped; a build of the Runner has no types.
const onNode22 = execFileSync(nodeRunner[0], ['--version'], { encoding: 'utf8' }).startsWith(
  'v22.',
);

test('with a warm cache a Runner loads neither stripper nor fetch', {
  skip: onNode22,
}, async () => {
  const files = {
    'handler.ts': `import { handler } from 'fnlet';
      const loaded = ()           => process.moduleLoadList.join();
      const seen = () => [loaded().includes('amaro'), loaded().includes('undici')].join();
      const read = async (r) => r.headers.get('x-a') + await r.text() + (r instanceof Request);
      export default handler(async (r         ) => new Response(seen() + await read(r)));`,
  };
  await using first = await StartedRunner.start({ files });
  await first.call({ body: 'x' });
  first.send({ type: 'drain' });
  await first.exited();
  await using second = await StartedRunner.start({ files });
  const answer = await second.call({ body: 'x', headers: { 'x-a': 'a' } });
  assert.equal(answer.body, 'false,falseaxtrue');
});

test('a function gets exactly its environment, its directory and its title', async () => {
  await using runner = await StartedRunner.start({
    env: { A: '$(HOME) $$ `date`', TZ: 'Asia/Tokyo', EMPTY: '' },
    files: {
      'handler.mjs': `
        import { execFileSync } from 'node:child_process';
        const atTop = { ...process.env };
        export default () => ({
          atTop,
          inChild: execFileSync('/usr/bin/env', { encoding: 'utf8' }).trim().split('\\n').sort(),
          hour: new Date(0).getHours(),
          cwd: process.cwd(),
          title: process.title,
        });`,
    },
  });
  const { body } = await runner.call();
  const { title, ...seen } = JSON.parse(body);
  assert.deepEqual(seen, {
    atTop: { A: '$(HOME) $$ `date`', TZ: 'Asia/Tokyo', EMPTY: '' },
    inChild: ['A=$(HOME) $$ `date`', 'EMPTY=', 'TZ=Asia/Tokyo'],
    hour: 9,
    cwd: runner.sourceDirectory,
  });
  assert.match(title, /^fnlet demo\/hello/);
});

for (const handler of ['handler.mjs', 'handler.cjs']) {
  test(`a function in ${handler} sees nothing of a rehearsal, however early it comes`, async () => {
    const seen = `() => ({ env: process.env, cwd: process.cwd(), own: Object.keys(globalThis) })`;
    const files = {
      [handler]: handler.endsWith('.mjs') ? `export default ${seen};` : `exports.main = ${seen};`,
    };
    await using rehearsed = StartedRunner.warm();
    await rehearsed.nextReport();
    rehearsed.send({ type: 'rehearse' });
    rehearsed.specialise({ files, env: { A: '1' } });
    assert.equal((await rehearsed.outcome()).type, 'ready');
    await using plain = await StartedRunner.start({ files, env: { A: '1' } });
    const [after, without] = await Promise.all([rehearsed.call(), plain.call()]);
    assert.deepEqual(
      { ...JSON.parse(after.body), cwd: '' },
      { ...JSON.parse(without.body), cwd: '' },
    );
    assert.equal(JSON.parse(after.body).cwd, rehearsed.sourceDirectory);
    assert.equal(rehearsed.log, '');
    const sockets = readdirSync(rehearsed.directory).filter((name) => name !== 'source');
    assert.deepEqual(sockets, ['runner.sock']);
  });
}

for (const [way, drain] of [
  ['the command drain', (runner) => runner.send({ type: 'drain' })],
  ['SIGTERM', (runner) => void runner.process.kill('SIGTERM')],
] satisfies [string, (runner: StartedRunner) => void][]) {
  test(`on ${way} calls in flight are finished, no new ones taken, and the exit is 0`, async () => {
    await using runner = await StartedRunner.start({ files: slow });
    const agent = new http.Agent({ keepAlive: true });
    const idle = http.get({ socketPath: runner.socketPath, agent, path: '/idle' });
    await readAnswer(idle);
    const call = runner.call({ path: '/?ms=300' });
    // Should anything below fail, the Runner is killed and this call with it: not the news.
    call.catch(() => {});
    await runner.logged('/?ms=300');
    drain(runner);
    if (idle.socket !== null && !idle.socket.closed) await once(idle.socket, 'close');
    await assert.rejects(runner.call(), { code: /ENOENT|ECONNREFUSED|ECONNRESET/ });
    const answer = await call;
    assert.deepEqual([answer.status, answer.body], [200, 'done']);
    assert.equal(await runner.exited(), 0);
    assert.equal(existsSync(runner.socketPath), false);
  });
}

test('a call on a kept connection while draining is answered, and /readyz says 503', async () => {
  await using runner = await StartedRunner.start({ files: slow });
  const socket = connect(runner.socketPath);
  socket.setEncoding('utf8');
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  const get = (path: string): boolean => socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
  get('/?ms=200');
  await runner.logged('ms=200');
  get('/readyz');
  runner.send({ type: 'drain' });
  await once(socket, 'close');
  assert.match(received, /^HTTP\/1\.1 200 OK/);
  assert.equal(await runner.exited(), 0);
});

test('calls that outlast the drain are cut off', async () => {
  await using runner = await StartedRunner.start({ files: slow, limits: { drainMs: 100 } });
  const call = runner.call({ path: '/?ms=60000' });
  await runner.logged('60000');
  runner.send({ type: 'drain' });
  await assert.rejects(call, { code: 'ECONNRESET' });
  assert.equal(await runner.exited(), 0);
});

test('a Runner ends at once when its owner is gone, whatever it does', async () => {
  await using warm = StartedRunner.warm();
  await warm.nextReport();
  warm.control.destroy();
  await warm.exited();
  await using busy = await StartedRunner.start({ files: slow });
  const call = busy.call({ path: '/?ms=60000' });
  await busy.logged('60000');
  busy.control.destroy();
  await assert.rejects(call, { code: 'ECONNRESET' });
  await busy.exited();
});

test('a Runner takes no command that is none', async () => {
  await using runner = StartedRunner.warm();
  await runner.nextReport();
  runner.control.write('{"type":"specialise"}\n');
  assert.equal(await runner.exited(), 2);
  assert.match(runner.log, /Cannot read the control channel/);
});

test('an unhandled rejection is logged and harms nobody', async () => {
  await using runner = await StartedRunner.start({
    files: {
      'handler.js': `exports.main = () => {
        Promise.reject(new Error('forgotten'));
        return 'fine';
      };`,
    },
  });
  for (let i = 0; i < 3; i++) assert.equal((await runner.call()).body, 'fine');
  await runner.logged('Error: forgotten');
  assert.match(runner.log, /^\[00000001\] Unhandled rejection: Error: forgotten$/m);
});

test('an uncaught exception answers its own call, spares the others, and ends the process', async () => {
  await using runner = await StartedRunner.start({
    files: {
      'handler.mjs': `
        import { once } from 'node:events';
        export default async (request) => {
          if (request.url.endsWith('/throw')) {
            setImmediate(() => { throw new Error('in a callback'); });
            return new Promise(() => {});
          }
          const told = once(process, 'SIGUSR2');
          console.log('started');
          await told;
          return 'done';
        };`,
    },
  });
  const sibling = runner.call();
  await runner.logged('started');
  const broken = await runner.call({ path: '/throw', headers: { 'x-request-id': 'culprit' } });
  assert.deepEqual([broken.status, broken.body], [500, 'Internal Server Error']);
  runner.process.kill('SIGUSR2');
  assert.equal((await sibling).body, 'done');
  assert.equal(await runner.exited(), 1);
  assert.match(runner.log, /^\[culprit\] Uncaught exception: Error: in a callback$/m);
});

const upgrade = {
  'handler.mjs': `
    export default () => 'plain';
    export function upgrade(request, socket, ...rest) {
      const [head, context] = rest;
      if (request.url === '/throw') throw new Error('no');
      console.log('upgrade', context.functionName, head.toString());
      context.signal.addEventListener('abort', () => console.log('closed'));
      socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: echo\\r\\n\\r\\n');
      socket.pipe(socket);
    }`,
};

test('an exported upgrade takes over the connection', async () => {
  await using runner = await StartedRunner.start({ files: upgrade, limits: { drainMs: 100 } });
  const headers = { connection: 'Upgrade', upgrade: 'echo' };
  const request = runner.request({ headers });
  request.end();
  const [, socket] = await once(request, 'upgrade');
  socket.write('ping');
  assert.equal(String((await once(socket, 'data'))[0]), 'ping');
  assert.equal((await runner.call()).body, 'plain');
  const thrown = runner.request({ headers, path: '/throw' });
  thrown.end();
  assert.equal((await readAnswer(thrown)).status, 500);
  socket.destroy();
  await runner.logged('closed');
  const open = runner.request({ headers });
  open.end();
  const [, other] = await once(open, 'upgrade');
  runner.send({ type: 'drain' });
  await once(other, 'close');
  assert.equal(await runner.exited(), 0);
});

test('without an exported upgrade a WebSocket is refused and anything else is a plain call', async () => {
  await using runner = await StartedRunner.start({ files: slow });
  const ask = async (protocol: string): Promise<number> => {
    const request = runner.request({ headers: { connection: 'Upgrade', upgrade: protocol } });
    request.end();
    return (await readAnswer(request)).status;
  };
  assert.equal(await ask('websocket'), 501);
  assert.equal(await ask('h2c'), 200);
});
