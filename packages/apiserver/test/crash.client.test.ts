import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { it } from 'node:test';
import { isJsonObject } from '@fnlet/base';
import { openLmdbStore } from '@fnlet/store';
import { isKubeObject } from '../src/object/object-form.ts';
import { type OpenedServer, openServer } from './opened-server.ts';

const program = join(import.meta.dirname, 'crash-writer.ts');
const maps = '/api/v1/namespaces/default/configmaps';
const rounds = 100;

/** What the clients were told last about each object: its step, or that it is gone. */
type Acknowledged = Map<string, string>;

/** Lets the clients write until they were told some things, and kills them in the middle. */
async function writeAndKill(directory: string, round: number, told: Acknowledged): Promise<void> {
  const args = [program, directory, String(round)];
  const env = { ...process.env, NODE_COMPILE_CACHE: join(directory, 'compiled') };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  let lines = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [name = '', outcome = ''] = line.split(' ');
    told.set(name, outcome);
    if (++lines === 20 + ((round * 37) % 150)) child.kill('SIGKILL');
  }
  await closed;
  assert.equal(child.signalCode, 'SIGKILL');
}

interface Listed {
  readonly revision: number;
  /** The version and the step of each object. */
  readonly objects: ReadonlyMap<string, readonly [version: string, step: string]>;
}

async function list(server: OpenedServer): Promise<Listed> {
  const { body } = await server.ask('GET', maps);
  assert.ok(isJsonObject(body) && isJsonObject(body.metadata) && Array.isArray(body.items));
  const objects = new Map(body.items.map(toEntry));
  return { revision: Number(body.metadata.resourceVersion), objects };
}

function toEntry(object: unknown): readonly [string, readonly [string, string]] {
  assert.ok(isKubeObject(object) && isJsonObject(object.data));
  const { name, resourceVersion = '' } = object.metadata;
  return [name, [resourceVersion, String(object.data.step)]];
}

/** What a client knows that watches from where it was before the crash; `undefined` after 410. */
async function resume(server: OpenedServer, before: Listed): Promise<Listed | undefined> {
  const stop = new AbortController();
  const query = { watch: '1', resourceVersion: String(before.revision) };
  const watch = server.ask('GET', maps, { query, signal: stop.signal });
  // History is read in pages; a turn is enough for each.
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  stop.abort();
  const events: unknown = (await watch).body;
  assert.ok(Array.isArray(events));
  const objects = new Map(before.objects);
  for (const event of events) {
    assert.ok(isJsonObject(event));
    if (event.type === 'ERROR') {
      assert.ok(isJsonObject(event.object) && event.object.reason === 'Expired');
      return undefined;
    }
    const [name, entry] = toEntry(event.object);
    assert.equal(objects.has(name), event.type !== 'ADDED', `no gap before ${name}`);
    if (event.type === 'DELETED') objects.delete(name);
    else objects.set(name, entry);
  }
  return { revision: before.revision, objects };
}

// A start of Node a round: two minutes alone, and more beside other tests.
const timeout = 480_000;

it('loses nothing that was acknowledged, and resumes watches, through 100 times kill -9', {
  timeout,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'fnlet-api-crash-'));
  const told: Acknowledged = new Map();
  let before: Listed = { revision: 0, objects: new Map() };
  let resumed = 0;
  for (let round = 0; round < rounds; round++) {
    await writeAndKill(directory, round, told);
    await using store = await openLmdbStore({ directory, historyMin: 200 });
    await using server = await openServer({ store });
    const now = await list(server);
    assert.ok(now.revision > before.revision, 'versions never go back');
    for (const [name, outcome] of told) checkKept(now, name, outcome);
    told.clear();
    const followed = round === 0 ? undefined : await resume(server, before);
    if (followed !== undefined) {
      resumed++;
      assert.deepEqual([...followed.objects].sort(), [...now.objects].sort());
    }
    before = now;
  }
  assert.ok(resumed > rounds / 4, `${resumed} watches were resumed`);
  await rm(directory, { recursive: true });
});

/** What came after the last acknowledgement may or may not have happened. */
function checkKept({ objects }: Listed, name: string, outcome: string): void {
  const step = objects.get(name)?.[1];
  if (outcome === 'gone') assert.equal(step, undefined, `${name} is gone`);
  if (outcome === '0') assert.ok(step === '0' || step === '1', `${name} is there`);
  if (outcome === '1') assert.ok(step === '1' || step === undefined, `${name} was changed`);
  const isDeletedLater = /-(\d+)$/.exec(name);
  if (outcome === '1' && Number(isDeletedLater?.[1]) % 3 !== 0) assert.equal(step, '1', name);
}
