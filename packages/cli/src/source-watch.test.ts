import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { systemRandom, VirtualClock } from '@fnlet/base';
import type { CliContext } from './cli-context.ts';
import { ownOutputFiles } from './own-output.ts';
import { readSource } from './source-files.ts';
import { openSource, watchSource } from './source-watch.ts';

interface Rig {
  readonly directory: string;
  /** What was deployed at each change. */
  readonly deployed: Readonly<Record<string, string>>[];
  write(file: string, text: string): void;
  /** Lets time pass until `condition` holds. */
  until(condition: () => boolean): Promise<void>;
}

async function startRig(
  t: TestContext,
  options: { readonly source?: string; readonly output?: string } = {},
): Promise<Rig> {
  const directory = mkdtempSync(join(tmpdir(), 'fnlet-watch-'));
  const abort = new AbortController();
  const clock = new VirtualClock();
  const { source = '.', output } = options;
  const write = (file: string, text: string): void => writeFileSync(join(directory, file), text);
  write('handler.js', 'one');
  const descriptors = output === undefined ? [] : [openSync(join(directory, output), 'a')];
  const context: CliContext = {
    stdin: process.stdin,
    stdout: new Writable({ write: (_chunk, _encoding, done) => done() }),
    stderr: new Writable({ write: (_chunk, _encoding, done) => done() }),
    env: {},
    workingDirectory: directory,
    command: 'fnlet',
    ownOutput: ownOutputFiles(descriptors),
    clock,
    random: systemRandom,
    signal: abort.signal,
  };
  const deployed: Readonly<Record<string, string>>[] = [];
  const deploy = async (): Promise<void> => {
    const read = await readSource(join(directory, source), context.ownOutput);
    if (read.kind === 'files') deployed.push(read.files);
  };
  const watching = watchSource(await openSource(source, context), deploy, context);
  t.after(async () => {
    abort.abort();
    await watching;
    rmSync(directory, { recursive: true });
  });
  const until = async (condition: () => boolean): Promise<void> => {
    const endMs = performance.now() + 20_000;
    while (!condition()) {
      assert.ok(performance.now() < endMs, 'waited in vain');
      await clock.advance(20);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { directory, deployed, write, until };
}

test('watchSource() deploys an edit, and nothing that leaves the function as it is', async (t) => {
  const rig = await startRig(t, { output: 'out.txt' });
  mkdirSync(join(rig.directory, 'node_modules'));
  mkdirSync(join(rig.directory, '.git'));
  for (let round = 1; round <= 3; round++) {
    for (const file of ['node_modules/m.js', '.git/index', '.env', 'dev.log', 'out.txt']) {
      rig.write(file, `${round}`);
    }
    rig.write('handler.js', round === 1 ? 'one' : `edit ${round - 1}`);
    rig.write('handler.js', `edit ${round}`);
    await rig.until(() => rig.deployed.at(-1)?.['handler.js'] === `edit ${round}`);
  }
  const edits = rig.deployed.map((files) => Object.entries(files));
  assert.ok(edits.every((files) => files.length === 1 && files[0]?.[0] === 'handler.js'));
  const texts = edits.map(([file]) => file?.[1]);
  assert.deepEqual(texts, [...new Set(texts)], 'the same source is deployed once');
});

test('watchSource() hears of edits beside a file that is written all the time', async (t) => {
  const rig = await startRig(t, { output: 'out.txt' });
  let lines = 0;
  rig.write('handler.js', 'two');
  await rig.until(() => {
    rig.write('out.txt', `line ${lines++}`);
    return lines > 300 && rig.deployed.length > 0;
  });
  assert.deepEqual(rig.deployed, [{ 'handler.js': 'two' }]);
});

test('watchSource() follows a single file that editors replace', async (t) => {
  const rig = await startRig(t, { source: 'handler.js' });
  for (const text of ['two', 'three', 'four']) {
    rig.write('handler.js~', text);
    renameSync(join(rig.directory, 'handler.js~'), join(rig.directory, 'handler.js'));
    await rig.until(() => rig.deployed.at(-1)?.['handler.js'] === text);
  }
});

test('openSource() remembers what was there before the first deploy', async (t) => {
  const rig = await startRig(t);
  // In the tick in which watching begins: as if it was edited while the first deploy went on.
  rig.write('handler.js', 'two');
  await rig.until(() => rig.deployed.length === 1);
});
