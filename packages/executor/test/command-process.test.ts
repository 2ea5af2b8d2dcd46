import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { after, before, test } from 'node:test';
import { silentLogger, systemClock } from '@fnlet/base';
import { type CommandOptions, type CommandProcess, startCommand } from '../src/command-process.ts';
import { readProcessTable } from '../src/process-table.ts';
import { createReaper, type Reaper } from '../src/reaper.ts';

let reaper: Reaper;
before(() => {
  reaper = createReaper({ clock: systemClock, logger: silentLogger });
});
after(() => reaper.close());

function start(
  command: readonly string[],
  options: Partial<CommandOptions> = {},
): Promise<CommandProcess> {
  return startCommand({
    command,
    directory: tmpdir(),
    env: { PATH: '/usr/bin:/bin' },
    stdin: false,
    tty: false,
    signal: new AbortController().signal,
    ...{ reaper, clock: systemClock },
    ...options,
  });
}

async function finish(process: CommandProcess): Promise<readonly [string, string, number]> {
  const { stdout, stderr = Readable.from([]), exitCode } = process;
  return Promise.all([text(stdout), text(stderr), exitCode]);
}

/** Waits until no process of this group is left. */
async function untilGone(group: number): Promise<void> {
  const endMs = performance.now() + 10_000;
  for (;;) {
    const left = (await readProcessTable()).filter((entry) => entry.group === group);
    if (left.length === 0) return;
    assert.ok(performance.now() < endMs, `processes are left: ${JSON.stringify(left)}`);
  }
}

test('a command says what it says on either output, and how it ended', async () => {
  const process = await start(['sh', '-c', 'echo out; echo err >&2; exit 3']);
  assert.deepEqual(await finish(process), ['out\n', 'err\n', 3]);
});

test('a command has the environment that it was given, and no other', async () => {
  const process = await start(['env'], { env: { PATH: '/usr/bin:/bin', COLOR: 'blue' } });
  const [out] = await finish(process);
  assert.deepEqual(out.trim().split('\n').sort(), ['COLOR=blue', 'PATH=/usr/bin:/bin']);
});

test('a command without input reads an end at once', async () => {
  assert.deepEqual(await finish(await start(['cat'])), ['', '', 0]);
});

test('input goes in and comes out as it was, megabytes of it', async () => {
  const bytes = Buffer.alloc(5_000_000, 'The quick brown fox. ');
  const process = await start(['cat'], { stdin: true });
  assert.ok(process.stdin !== undefined);
  const writing = pipeline(Readable.from([bytes]), process.stdin);
  const digest = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex');
  assert.equal(digest(await buffer(process.stdout)), digest(bytes));
  await writing;
  assert.equal(await process.exitCode, 0);
});

test('output that nobody has read yet is there after the end', async () => {
  const process = await start(['sh', '-c', 'printf "%050000d" 1']);
  assert.equal(await process.exitCode, 0);
  assert.equal((await text(process.stdout)).length, 50_000);
});

test('a program that is not there ends with 127 and the words of runc', async () => {
  const [out, err, code] = await finish(await start(['no-such-program']));
  assert.equal(out, '');
  assert.match(err, /exec: "no-such-program": executable file not found in \$PATH: unknown/);
  assert.equal(code, 127);
});

test('a file that cannot be executed ends with 126', async () => {
  const [, err, code] = await finish(await start([tmpdir()]));
  assert.match(err, /permission denied/);
  assert.equal(code, 126);
});

test('a command that was killed ends with 128 and the signal', async () => {
  assert.equal((await finish(await start(['sh', '-c', 'kill -TERM $$'])))[2], 143);
});

test('what a command started in the background ends with it', async () => {
  const process = await start(['sh', '-c', 'echo $$; sleep 1000 & exit 0']);
  const [out, , code] = await finish(process);
  assert.equal(code, 0);
  await untilGone(Number(out));
});

test('an aborted command ends with everything that it started', async () => {
  const abort = new AbortController();
  const process = await start(['sh', '-c', 'echo $$; sleep 1000 & sleep 1000'], {
    signal: abort.signal,
  });
  const [group] = await process.stdout.take(1).toArray();
  abort.abort();
  assert.equal(await process.exitCode, 137);
  await untilGone(Number(String(group)));
  await assert.rejects(start(['true'], { signal: abort.signal }), { name: 'AbortError' });
});

const withScript = { skip: existsSync('/usr/bin/script') ? false : 'there is no /usr/bin/script' };

test(
  'with a terminal words come through unchanged, and so does the exit code',
  withScript,
  async () => {
    const words = ['a b', "it's", '$HOME `id` "q"', '\\n'];
    const command = ['sh', '-c', 'test -t 0 && printf "<%s>" "$@"; exit 5', 'sh', ...words];
    const process = await start(command, { tty: true, stdin: true });
    assert.equal(process.stderr, undefined);
    const [out, , code] = await finish(process);
    assert.equal(out, words.map((word) => `<${word}>`).join(''));
    assert.equal(code, 5);
  },
);

test('a terminal tells its size, and ends what runs behind it', withScript, async () => {
  const abort = new AbortController();
  const loop = 'echo $$; while :; do stty size; sleep 0.05; done';
  const process = await start(['sh', '-c', loop], { tty: true, signal: abort.signal });
  process.resize(100, 30);
  let seen = '';
  for await (const chunk of process.stdout) {
    seen += String(chunk);
    if (/^30 100\r$/m.test(seen)) break;
  }
  abort.abort();
  assert.equal(await process.exitCode, 137);
  await untilGone(Number.parseInt(seen, 10));
});
