// What the API says about Functions that are wrong, and how it shows those that are right. The kind
// is defined in the api room; here is the first layer that has an API to try it on.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FunctionSpec, parseFunction } from '@fnlet/api';
import type { Instance } from '@fnlet/executor';
import { createMachine, namespace, World } from './world.ts';

let world: World;

before(async () => {
  world = await new World(createMachine()).start();
});

after(() => world[Symbol.asyncDispose]());

async function refusal(name: string, spec: object): Promise<string> {
  const response = await world.post(name, spec);
  assert.equal(response.status, 422);
  return Object(await response.json()).message;
}

const source = { inline: 'one' };

const git = { url: 'https://example.com/code.git' };

const scale = (change: object): object => ({ scale: change });

const traffic = (...targets: readonly object[]): object => ({ traffic: targets });

const canary = (change: object): object => ({ rollout: { canary: change } });

const refused: readonly [string, object, RegExp][] = [
  [
    'a runtime that is no name',
    { runtime: 'node js' },
    /spec\.runtime: Invalid value: "node js": .*should match/,
  ],
  ['no source', { source: {} }, /spec\.source: .*give exactly one source/],
  [
    'two sources',
    { source: { ...source, files: { a: 'b' } } },
    /give exactly one source.*kubectl replace.*null in kubectl apply/,
  ],
  [
    'an empty inline source',
    { source: { inline: '' } },
    /spec\.source\.inline: .*at least 1 chars/,
  ],
  ['no files', { source: { files: {} } }, /spec\.source\.files: .*at least 1 properties/],
  ['a source that names all at once', { source: { inline: 'x', git } }, /exactly one source/],
  ['git without url', { source: { git: {} } }, /spec\.source\.git\.url: Required/],
  ['git from a path', { source: { git: { url: '/srv/code.git' } } }, /url must be https/],
  ['git from a file', { source: { git: { url: 'file:///srv/code.git' } } }, /url must be https/],
  ['git with a helper', { source: { git: { url: 'ext::sh -c id' } } }, /url must be https/],
  [
    'git with a password in its url',
    { source: { git: { url: 'https://u:p@host/x' } } },
    /credentials belong into a Secret/,
  ],
  [
    'an option as the host of git',
    { source: { git: { url: 'ssh://-oProxyCommand=id/x' } } },
    /url must be https/,
  ],
  [
    'an option as a reference',
    { source: { git: { ...git, reference: '--upload-pack=id' } } },
    /reference must be the name of a branch/,
  ],
  [
    'a reference that is a range',
    { source: { git: { ...git, reference: 'a..b' } } },
    /reference must be the name of a branch/,
  ],
  [
    'a directory outside of the repository',
    { source: { git: { ...git, directory: 'a/../../b' } } },
    /directory must be relative/,
  ],
  [
    'a repository asked every second',
    { source: { git: { ...git, interval: '1s' } } },
    /interval must be at least 10s, or 0s/,
  ],
  ['an archive from nowhere', { source: { archive: {} } }, /exactly one of url and data/],
  [
    'an archive from a file',
    { source: { archive: { url: 'file:///etc/passwd' } } },
    /url must be https/,
  ],
  [
    'a checksum of another kind',
    { source: { archive: { url: 'https://host/x.zip', sha256: 'md5:00' } } },
    /spec\.source\.archive\.sha256: .*should match/,
  ],
  ['an artifact without digest', { source: { artifact: 'x' } }, /spec\.source\.artifact/],
  ['an empty handler', { handler: '' }, /spec\.handler: .*at least 1 chars/],
  ['a timeout of nothing', { timeout: '0s' }, /timeout must be more than 0s and at most 1h/],
  ['a timeout of two hours', { timeout: '2h' }, /timeout must be more than 0s and at most 1h/],
  ['a timeout without unit', { timeout: '30' }, /spec\.timeout: .*should match/],
  ['min above max', scale({ min: 5, max: 2 }), /min must not be greater than max/],
  ['max of 0', scale({ max: 0 }), /spec\.scale\.max: .*greater than or equal to 1/],
  ['a negative limit', scale({ limit: -1 }), /spec\.scale\.limit/],
  ['a reserved label', { labels: { 'fnlet.dev/function': 'x' } }, /reserved/],
  ['a reserved annotation', { annotations: { 'fnlet.dev/a': 'x' } }, /reserved/],
  [
    'a variable with value and valueFrom',
    { env: [{ name: 'A', value: 'a', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] },
    /give either value or valueFrom, not both/,
  ],
  [
    'a variable from nowhere',
    { env: [{ name: 'A', valueFrom: {} }] },
    /exactly one of secretKeyRef/,
  ],
  ['a variable with a bad name', { env: [{ name: 'A=B', value: '' }] }, /spec\.env\[0\]\.name/],
  ['a variable twice', { env: [{ name: 'A' }, { name: 'A' }] }, /Duplicate value/],
  ['envFrom without an object', { envFrom: [{ prefix: 'X' }] }, /exactly one of secretRef/],
  ['traffic to nobody', traffic(), /spec\.traffic: .*at least 1 items/],
  [
    'traffic of less than all',
    traffic({ latest: true, percent: 60 }, { revision: 'a', percent: 30 }),
    /percentages must add up to 100: give what is missing/,
  ],
  [
    'a target that is two',
    traffic({ latest: true, revision: 'a', percent: 100 }),
    /either a revision or latest: true/,
  ],
  ['a target that is none', traffic({ percent: 100 }), /either a revision or latest: true/],
  [
    'a target that nothing reaches',
    traffic({ latest: true, percent: 100 }, { revision: 'a' }),
    /give it a percent above 0 or a tag/,
  ],
  [
    'one tag for two',
    traffic({ latest: true, percent: 100, tag: 'x' }, { revision: 'a', tag: 'x' }),
    /a tag names one Revision/,
  ],
  [
    'a tag that is no name',
    traffic({ latest: true, percent: 100, tag: 'X.1' }),
    /spec\.traffic\[0\]\.tag: .*should match/,
  ],
  ['copies to nobody', { mirror: { percent: 5 } }, /either the revision or the tag/],
  [
    'copies to a tag that is not there',
    { mirror: { tag: 'next' }, ...traffic({ latest: true, percent: 100, tag: 'x' }) },
    /no Revision in traffic has the tag that mirror names/,
  ],
  ['a session of two days', { session: { maxAge: '48h' } }, /at least 1s and at most 24h/],
  ['steps that fall', canary({ steps: [50, 10] }), /the steps must rise/],
  ['a step of all', canary({ steps: [100] }), /steps\[0\]: .*less than or equal to 99/],
  ['steps without a pause', canary({ interval: '0s' }), /interval must be at least 1s/],
  ['a rate above all', canary({ successRate: 101 }), /successRate: .*less than or equal to 100/],
];

for (const [title, spec, message] of refused) {
  test(`refused: ${title}`, async () => {
    assert.match(await refusal('wrong', spec), message);
  });
}

for (const name of ['a'.repeat(53), '1st', 'with.dot']) {
  test(`refused: the name ${name}`, async () => {
    const found = await refusal(name, {});
    assert.ok(
      found.includes(`metadata.name: Invalid value: "${name}": the name of a Function must`),
    );
  });
}

test('refused: a tag that makes the name too long', async () => {
  const found = await refusal(
    `f${'x'.repeat(50)}`,
    traffic({ latest: true, percent: 100, tag: 'a'.repeat(12) }),
  );
  assert.match(found, /a tag and the name of the Function must have at most 62 characters/);
});

test('defaults of traffic and canaries are filled in', async () => {
  const tagged = traffic({ latest: true, percent: 100 }, { revision: 'hello-1', tag: 'old' });
  const more = { session: {}, mirror: { tag: 'old' }, rollout: { canary: {} } };
  const response = await world.post('more-defaults', { ...tagged, ...more });
  const { spec } = parseFunction(await response.json());
  assert.equal(spec.traffic?.[1]?.percent, 0);
  assert.deepEqual(spec.session, { maxAge: '1h' });
  assert.deepEqual(spec.mirror, { tag: 'old', percent: 100, nonIdempotent: false });
  const canaryDefaults = { steps: [10, 50], interval: '1m', successRate: 99, minimumCalls: 50 };
  assert.deepEqual(spec.rollout, { deadline: '2m', canary: canaryDefaults });
});

test('defaults are filled in', async () => {
  const response = await world.post('defaults', { scale: { max: 7 } });
  const { spec } = parseFunction(await response.json());
  const expected: FunctionSpec = {
    runtime: 'nodejs24',
    handler: 'default',
    source,
    allowInstallScripts: false,
    timeout: '30s',
    scale: { min: 0, max: 7, target: 50, limit: 0, idleAfter: '60s' },
  };
  assert.deepEqual(spec, expected);
  assert.deepEqual((await world.apply('plain', {})).spec.scale, { ...expected.scale, max: 100 });
});

const urls = [
  'https://example.com/code.git',
  'http://gitserver.test.svc.cluster.local:8080/function.git',
  'ssh://git@example.com:2222/code.git',
  'git@github.com:acme/code.git',
];

for (const [i, url] of urls.entries()) {
  test(`accepted: git from ${url}`, async () => {
    const reference = 'release/1.0+build@3';
    const asked = { url, reference, directory: 'fn/hello', interval: '0s' };
    const { spec } = await world.apply(`from-git-${i}`, { source: { git: asked } });
    assert.deepEqual(spec.source, { git: asked });
  });
}

test('a source of 1 MiB, and every byte of a strange one, arrives', async () => {
  const inline = `// $(HOME) $$ \`id\` \\u0000 \u2028 ${'x'.repeat(1024 * 1024)}`;
  const { spec } = await world.apply('large', { source: { inline } });
  assert.equal(spec.source.inline, inline);
});

test('a name of 52 characters gives valid names for everything of it', async () => {
  const name = `f${'x'.repeat(51)}`;
  await world.apply(name, {});
  const { status } = await world.ready(name);
  assert.equal(status?.revision?.length, 63);
});

test('a Revision cannot be changed', async () => {
  await world.apply('frozen', {});
  const { status } = await world.ready('frozen');
  const key = { namespace, name: status?.revision ?? '' };
  const change = world.revisions.patch(key, { type: 'merge', patch: { spec: { timeout: '1s' } } });
  change.catch(() => {});
  await world.advance(10);
  await assert.rejects(change, /a Revision never changes: change its Function/);
});

test('kubectl scale sets min', async () => {
  await world.apply('scaled', {});
  await world.ready('scaled');
  const patch = { spec: { replicas: 2 } };
  const target = { namespace, name: 'scaled' };
  const scaled = world.functions.patch(target, { type: 'merge', patch }, { subresource: 'scale' });
  // The answer is a Scale, not a Function.
  scaled.catch(() => {});
  await world.until(() => world.executor.instances().filter(isOf('scaled')).length === 2);
  assert.equal((await world.get('scaled')).spec.scale.min, 2);
});

function isOf(name: string): (instance: Instance) => boolean {
  return ({ revision }) => revision.function === name;
}

test('kubectl get shows what matters in 120 columns', async () => {
  await world.apply('shown', {});
  await world.ready('shown');
  const response = await world.client.transport.request({
    method: 'GET',
    path: '/apis/fnlet.dev/v1alpha1/namespaces/default/functions/shown',
    headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  });
  const table = Object(await response.json());
  const columns: { name: string; priority: number }[] = table.columnDefinitions;
  const shown = columns.filter(({ priority }) => priority === 0).map(({ name }) => name);
  assert.deepEqual(shown, ['Name', 'Ready', 'Reason', 'Runtime', 'Instances', 'URL', 'Age']);
  assert.deepEqual(table.rows[0].cells.slice(0, 6), [
    'shown',
    'True',
    'Ready',
    'nodejs24',
    1,
    'http://gateway/default/shown',
  ]);
});
