/** The end of a Runner while requests are on their way to it or answers on their way back. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Answer, readAnswer, StartedRunner } from './started-runner.ts';

// `/block` keeps the whole process from doing anything until the file `go` is there: what comes
// meanwhile is with the kernel, and the Runner has not heard of it yet.
const blocking = {
  'handler.mjs': `
    import { existsSync } from 'node:fs';
    const pause = new Int32Array(new SharedArrayBuffer(4));
    export default (request) => {
      const { pathname } = new URL(request.url);
      if (pathname !== '/block') return pathname;
      console.log('blocked');
      while (!existsSync('../go')) Atomics.wait(pause, 0, 0, 1);
      return 'free';
    };`,
};

/** Lets the Runner go on. */
function unblock(runner: StartedRunner): void {
  writeFileSync(join(runner.directory, 'go'), '');
}

/** Sends a request as far as the kernel, and returns what becomes of it. */
async function sent(request: http.ClientRequest): Promise<readonly [Promise<Answer>]> {
  const answer = readAnswer(request);
  // It is looked at later, also when the test has failed before.
  answer.catch(() => {});
  request.end();
  await once(request, 'finish');
  return [answer];
}

const ways: readonly (readonly [string, (runner: StartedRunner) => void])[] = [
  ['the command drain', (runner) => runner.send({ type: 'drain' })],
  ['SIGTERM', (runner) => void runner.process.kill('SIGTERM')],
];

for (const [way, drain] of ways) {
  test(`requests that were sent before ${way} are answered, on new and on kept connections`, async () => {
    await using runner = await StartedRunner.start({ files: blocking });
    const agent = new http.Agent({ keepAlive: true });
    const { socketPath } = runner;
    const first = http.get({ socketPath, agent, path: '/first' });
    await readAnswer(first);
    const [blocked] = await sent(runner.request({ path: '/block' }));
    await runner.logged('blocked');
    const kept = http.request({ socketPath, agent, path: '/kept' });
    const paths = ['/1', '/2', '/3', '/4', '/5'];
    const waiting = [await sent(kept)];
    for (const path of paths) waiting.push(await sent(runner.request({ path })));
    assert.equal(kept.reusedSocket, true);
    drain(runner);
    unblock(runner);
    assert.equal((await blocked).body, 'free');
    const bodies = await Promise.all(waiting.map(async ([answer]) => (await answer).body));
    assert.deepEqual(bodies, ['/kept', ...paths]);
    assert.equal(await runner.exited(), 0);
    assert.equal(existsSync(socketPath), false);
    agent.destroy();
  });

  test(`an answer that its client reads slowly is whole in spite of ${way}`, async () => {
    const bytes = 32_000_000;
    await using runner = await StartedRunner.start({
      files: {
        'handler.mjs': `export default () => {
          console.log('answering');
          return new Uint8Array(${bytes});
        }`,
      },
    });
    const socket: Socket = connect(runner.socketPath);
    socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
    await runner.logged('answering');
    await once(socket, 'readable');
    drain(runner);
    let received = 0;
    for await (const chunk of socket) received += chunk.length;
    assert.ok(received > bytes);
    assert.equal(await runner.exited(), 0);
  });
}
