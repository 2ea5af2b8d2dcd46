// Functions whose source is elsewhere: what is asked, when, and what becomes of the answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FunctionObject, type FunctionSpec, syncAnnotation } from '@fnlet/api';
import { createMachine, type Machine, namespace, World } from './world.ts';

const url = 'https://example.com/code.git';

const main: Partial<FunctionSpec> = {
  source: { git: { url, reference: 'main', interval: '10s' } },
};

async function start(machine: Machine = createMachine()): Promise<World> {
  const world = await new World(machine).start();
  // Some of these things take half a minute of virtual time.
  world.patienceMs = 60_000;
  return world;
}

function asked({ machine }: World): number {
  return machine.sources.asked.length;
}

async function demand(world: World, name: string, value: string): Promise<void> {
  const patch = { metadata: { annotations: { [syncAnnotation]: value } } };
  const change = world.functions.patch({ namespace, name }, { type: 'merge', patch });
  await world.until(async () => (await change).metadata.name === name);
}

async function answered(world: World, name: string, value: string): Promise<FunctionObject> {
  await world.until(async () => {
    const { status } = await world.functions.get({ namespace, name });
    return status?.source?.syncedFor === value;
  });
  return world.get(name);
}

test('a Function follows its branch, a commit a Revision', async () => {
  await using world = await start();
  const { sources } = world.machine;
  const first = sources.push(url, 'main', 'one');
  await world.apply('hello', main);
  const before = await world.ready('hello');
  const { source } = before.status ?? {};
  assert.deepEqual(
    { ...source, fetchedAt: undefined },
    {
      url,
      reference: 'main',
      commit: first,
      fetchedAt: undefined,
    },
  );
  assert.match(source?.fetchedAt ?? '', /^\d{4}-.*Z$/);
  const revision = await world.revisions.get({ namespace, name: before.status?.revision ?? '' });
  assert.deepEqual(revision.spec.source, { git: { url, reference: first } });
  const second = sources.push(url, 'main', 'two');
  await world.until(async () => (await world.get('hello')).status?.source?.commit === second);
  const after = await world.ready('hello');
  assert.notEqual(after.status?.revision, before.status?.revision);
  assert.equal(await world.call('hello'), after.status?.revision);
  assert.equal(asked(world), 2);
  const said = (await world.events('hello')).map(({ message }) => message);
  assert.ok(said.includes(`Found commit ${second} in place of commit ${first}`));
});

test('Functions with the same question share it, and nobody is asked for none', async () => {
  await using world = await start();
  const { sources } = world.machine;
  sources.push(url, 'main', 'one');
  for (const name of ['a', 'b', 'c']) await world.apply(name, main);
  for (const name of ['a', 'b', 'c']) await world.ready(name);
  await world.advance(5_000);
  sources.asked.length = 0;
  await world.advance(10_000);
  assert.equal(asked(world), 1);
  for (const name of ['a', 'b', 'c']) {
    const deleted = world.functions.delete({ namespace, name });
    await world.until(async () => (await deleted) !== undefined || true);
  }
  await world.advance(15_000);
  sources.asked.length = 0;
  await world.advance(60_000);
  assert.equal(asked(world), 0);
});

test('a server that is away changes nothing but what is said', async () => {
  await using world = await start();
  const { sources } = world.machine;
  sources.push(url, 'main', 'one');
  await world.apply('hello', main);
  const { status } = await world.ready('hello');
  const repository = sources.repositories.get(url);
  sources.repositories.delete(url);
  const away = await world.condition('hello', 'SourceReady', 'False');
  assert.equal(away.reason, 'SourceUnreachable');
  assert.match(away.message ?? '', /^Commit \w+ \(main\) is used on, .*found nobody/);
  await world.condition('hello', 'Ready', 'True');
  assert.equal(await world.call('hello'), status?.revision);
  if (repository !== undefined) sources.repositories.set(url, repository);
  await world.condition('hello', 'SourceReady', 'True');
  assert.equal((await world.get('hello')).status?.revision, status?.revision);
});

test('a server that was never reached is asked again and again, less and less', async () => {
  await using world = await start();
  world.patienceMs = 200_000;
  const { sources } = world.machine;
  await world.apply('hello', main);
  const away = await world.condition('hello', 'Ready', 'False');
  assert.equal(away.reason, 'SourceUnreachable');
  await world.advance(60_000);
  const tries = asked(world);
  assert.ok(tries > 2 && tries < 7, `${tries} tries`);
  sources.push(url, 'other', 'one');
  const missing = async (): Promise<boolean> => {
    const { reason } = await world.condition('hello', 'Ready', 'False');
    return reason === 'SourceNotFound';
  };
  await world.until(missing);
  sources.push(url, 'main', 'one');
  await world.ready('hello');
});

test('a demand is answered at once, and many at once by one question', async () => {
  await using world = await start();
  const { sources } = world.machine;
  sources.push(url, 'main', 'one');
  const source = { git: { url, reference: 'main', interval: '0s' } };
  await world.apply('hello', { source });
  await world.ready('hello');
  await world.advance(300_000);
  assert.equal(asked(world), 1);
  const second = sources.push(url, 'main', 'two');
  const gate = Promise.withResolvers<void>();
  sources.gate = gate.promise;
  await demand(world, 'hello', '1');
  await world.until(() => asked(world) === 2);
  for (const value of ['2', '3', '4']) await demand(world, 'hello', value);
  await world.advance(100);
  assert.equal(asked(world), 2);
  gate.resolve();
  const { status } = await answered(world, 'hello', '4');
  assert.equal(status?.source?.commit, second);
  assert.equal(asked(world), 3);
  await world.advance(300_000);
  assert.equal(asked(world), 3);
});

test('after a restart a Function serves without a question, then its branch is looked at', async () => {
  const machine = createMachine();
  const { sources } = machine;
  let revision: string | undefined;
  {
    await using world = await start(machine);
    sources.push(url, 'main', 'one');
    await world.apply('hello', main);
    revision = (await world.ready('hello')).status?.revision;
  }
  sources.asked.length = 0;
  await using world = await start(machine);
  assert.equal(await world.call('hello'), revision);
  assert.equal(asked(world), 0);
  const second = sources.push(url, 'main', 'two');
  await world.until(async () => (await world.get('hello')).status?.source?.commit === second);
  assert.equal(asked(world), 1);
});

test('a commit needs no question, and neither does an archive with a checksum', async () => {
  await using world = await start();
  const commit = 'A'.repeat(40);
  await world.apply('hello', { source: { git: { url, reference: commit } } });
  assert.equal((await world.ready('hello')).status?.source?.commit, commit.toLowerCase());
  const sha256 = `sha256:${'b'.repeat(64)}`;
  const archive = { url: 'https://example.com/code.zip', sha256 };
  await world.apply('packed', { source: { archive } });
  assert.equal((await world.ready('packed')).status?.source?.digest, 'b'.repeat(64));
  assert.equal(asked(world), 0);
});

test('an archive without a checksum is what it was, until somebody demands a look', async () => {
  await using world = await start();
  const { archives } = world.machine.sources;
  const archive = { url: 'https://example.com/code.zip' };
  archives.set(archive.url, 'a'.repeat(64));
  await world.apply('hello', { source: { archive } });
  const before = await world.ready('hello');
  archives.set(archive.url, 'b'.repeat(64));
  await world.advance(300_000);
  assert.equal((await world.get('hello')).status?.revision, before.status?.revision);
  await demand(world, 'hello', 'now');
  const { status } = await answered(world, 'hello', 'now');
  assert.equal(status?.source?.digest, 'b'.repeat(64));
});

test('an archive within the Function is one Revision for each of its contents', async () => {
  await using world = await start();
  const data = Buffer.from('PK').toString('base64');
  await world.apply('hello', { source: { archive: { data } } });
  const { status } = await world.ready('hello');
  assert.equal(status?.source, undefined);
  assert.equal(asked(world), 0);
});

test('a Secret that is missing is waited for, and a better one is tried at once', async () => {
  await using world = await start();
  const { sources } = world.machine;
  const git = { url, reference: 'main', interval: '0s', secretRef: { name: 'login' } };
  await world.apply('hello', { source: { git } });
  const closed = await world.condition('hello', 'SourceReady', 'False');
  assert.equal(closed.reason, 'SourceDenied');
  assert.match(closed.message ?? '', /Secret "login" does not exist/);
  assert.equal(asked(world), 0);
  sources.push(url, 'main', 'one');
  await world.put('Secret', 'login', { password: Buffer.from('s3cret').toString('base64') });
  world.patienceMs = 1_000;
  await world.ready('hello');
  assert.deepEqual(sources.asked, [`${url} main s3cret`]);
});

test('webhooks are waited for by nobody, until a Function asks for them', async () => {
  await using world = await start();
  world.machine.sources.push(url, 'main', 'one');
  await world.apply('hello', main);
  await world.ready('hello');
  assert.equal(world.webhooks, 0);
  const webhook = { secretRef: { name: 'hook' } };
  for (const name of ['a', 'b']) {
    await world.apply(name, { source: { git: { url, reference: 'main', webhook } } });
    await world.ready(name);
  }
  assert.equal(world.webhooks, 1);
});
