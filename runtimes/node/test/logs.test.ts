import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { StartedRunner } from './started-runner.ts';

test('100 calls at once that log while they wait keep their ids', async () => {
  await using runner = await StartedRunner.start({
    files: {
      'handler.mjs': `
        const turns = async (count) => {
          while (count-- > 0) await new Promise((resolve) => setImmediate(resolve));
        };
        export default async (request, { requestId, log }) => {
          for (let i = 0; i < 5; i++) {
            console.log('step', i, 'of', requestId);
            await turns(Math.random() * 10);
            process.stdout.write('half of ' + requestId);
            await turns(Math.random() * 10);
            process.stdout.write(' and the rest\\nsecond line of ' + requestId + '\\n');
            console.error('problem of', requestId);
            log.warn('odd', { of: requestId });
          }
          return requestId;
        };`,
    },
  });
  const ids = Array.from({ length: 100 }, (_, i) => `${String(i).padStart(8, 'x')}-more`);
  const answers = await Promise.all(
    ids.map((id) => runner.call({ headers: { 'x-request-id': id } })),
  );
  assert.deepEqual(
    answers.map(({ body }) => body),
    ids,
  );
  runner.send({ type: 'drain' });
  assert.equal(await runner.exited(), 0);
  const lines = runner.log.trimEnd().split('\n');
  assert.equal(lines.length, 100 * 5 * 5);
  for (const line of lines) {
    const [, mark, id] = /^\[(.{8})\] .*?(\w{8})-more/.exec(line) ?? [];
    assert.ok(mark !== undefined && mark === id, line);
  }
});

test('lines of several lines are all marked, lines outside of calls are not', async () => {
  await using runner = await StartedRunner.start({
    files: {
      'handler.js': `
        console.log('at the\\ntop');
        let timer;
        exports.main = () => { console.log('one\\ntwo\\n\\nthree'); };`,
    },
  });
  await runner.call({ headers: { 'x-request-id': 'abc' } });
  await runner.logged('three\n');
  assert.equal(runner.log, 'at the\ntop\n[abc] one\n[abc] two\n[abc] \n[abc] three\n');
});

test('unfinished lines come out when the call ends, and when the process ends', async () => {
  await using runner = await StartedRunner.start({
    files: {
      'handler.mjs': `
        import { AsyncResource } from 'node:async_hooks';
        let afterthought;
        export default (request) => {
          if (request.url.endsWith('/after')) return void afterthought();
          process.stdout.write('no end of line');
          if (request.url.endsWith('/exit')) process.exit(3);
          afterthought = AsyncResource.bind(() => process.stdout.write('afterthought'));
        };`,
    },
  });
  await runner.call({ headers: { 'x-request-id': 'a' } });
  await runner.logged('[a] no end of line\n');
  await runner.call({ path: '/after' });
  await runner.logged('[a] no end of line\n[a] afterthought\n');
  await assert.rejects(runner.call({ path: '/exit', headers: { 'x-request-id': 'b' } }));
  assert.equal(await runner.exited(), 3);
  assert.ok(runner.log.endsWith('[b] no end of line\n'));
});

test('a flood of lines is complete, and lines beyond 64 KiB are cut', async () => {
  await using runner = await StartedRunner.start({
    files: {
      'handler.mjs': `
        export default () => {
          for (let i = 0; i < 50_000; i++) console.log('line', i);
          console.log('x'.repeat(100_000));
          process.exit(0);
        };`,
    },
  });
  await assert.rejects(runner.call({ headers: { 'x-request-id': 'f' } }));
  assert.equal(await runner.exited(), 0);
  const lines = runner.log.trimEnd().split('\n');
  assert.equal(lines.length, 50_002);
  assert.ok(lines.slice(0, 50_000).every((line, i) => line === `[f] line ${i}`));
  assert.deepEqual(
    lines.slice(50_000).map((line) => line.length),
    [65_540, 34_468],
  );
});

test('a flood waits for its reader instead of filling the memory', async () => {
  await using runner = await StartedRunner.start({
    files: {
      'handler.mjs': `
        import { openSync, writeSync } from 'node:fs';
        const line = 'x'.repeat(9_999);
        export default () => {
          const begun = openSync('begun', 'w');
          for (let i = 1; i <= 5_000; i++) {
            writeSync(begun, String(i), 0);
            console.log(line);
          }
          return process.memoryUsage.rss();
        };`,
    },
  });
  let [readBytes, aheadBytes] = [0, 0];
  runner.process.stdout?.on('data', (chunk: string) => {
    const begun = Number(readFileSync(join(runner.sourceDirectory, 'begun'), 'utf8'));
    aheadBytes = Math.max(aheadBytes, begun * 10_000 - readBytes);
    readBytes += chunk.length;
  });
  const answer = await runner.call();
  assert.equal(answer.status, 200);
  assert.ok(Number(answer.body) < 150_000_000, answer.body);
  // What a pipe and its reader hold, and not what the handler has to say: 50 MB.
  assert.ok(aheadBytes > 0 && aheadBytes < 4_000_000, `${aheadBytes} bytes ahead of the reader`);
});

test('errors are logged with the position in the source and their cause', async () => {
  await using runner = await StartedRunner.start({
    files: {
      'handler.ts': `
        const query          = ()                  => { throw new Error('no table'); };
        export default async () => {
          try { query(); } catch (cause) { throw new Error('no answer', { cause }); }
        };`,
    },
  });
  assert.equal((await runner.call({ headers: { 'x-request-id': 'err' } })).status, 500);
  await runner.logged('no table');
  assert.match(runner.log, /^\[err\] Error: no answer$/m);
  assert.match(runner.log, /^\[err\] {5}at default \(file:.*\/handler\.ts:4:50\)/m);
  assert.match(runner.log, /\[cause\]: Error: no table/);
  assert.doesNotMatch(runner.log, /node:internal/);
});

test('a .js file that is an ES module without a package.json is no reason for a warning', async () => {
  await using runner = await StartedRunner.start({
    files: {
      'handler.js': 'import { a } from "./a.js";\nexport default () => a;',
      'a.js': 'export const a = "a";',
    },
  });
  assert.equal((await runner.call({})).body, 'a');
  runner.send({ type: 'drain' });
  assert.equal(await runner.exited(), 0);
  assert.equal(runner.log, '');
});
