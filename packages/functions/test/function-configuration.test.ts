// What the API says about mounts, resources and sources of variables; see function-kind.test.ts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createMachine, World } from './world.ts';

let world: World;

before(async () => {
  world = await new World(createMachine()).start();
});

after(() => world[Symbol.asyncDispose]());

const mount = (change: object): object => ({
  mounts: [{ secret: 's', path: '/etc/s', ...change }],
});

const from = (valueFrom: object): object => ({ env: [{ name: 'A', valueFrom }] });

const field = (fieldPath: string): object => from({ fieldRef: { fieldPath } });

const refused: readonly [string, object, RegExp][] = [
  ['a mount of nothing', { mounts: [{ path: '/etc/s' }] }, /exactly one of secret and configMap/],
  ['a mount of two', mount({ configMap: 'c' }), /exactly one of secret and configMap/],
  ['a mount at the root', mount({ path: '/' }), /spec\.mounts\[0\]\.path: .*at least 2 chars/],
  ['a relative mount path', mount({ path: 'etc/s' }), /must begin with '\/'/],
  ['a mount path that goes up', mount({ path: '/etc/../s' }), /neither through '\.' nor '\.\.'/],
  ['a mount path with an end', mount({ path: '/etc/s/' }), /must begin with '\/'/],
  ['a mount over the system', mount({ path: '/proc/self' }), /must not be in \/dev, \/proc/],
  [
    'two mounts at one path',
    {
      mounts: [
        { secret: 'a', path: '/s' },
        { secret: 'b', path: '/s' },
      ],
    },
    /Duplicate value/,
  ],
  [
    'a mount in a mount',
    {
      mounts: [
        { secret: 'a', path: '/s/below' },
        { secret: 'b', path: '/s' },
      ],
    },
    /must not be inside another/,
  ],
  [
    'an item that goes up',
    mount({ items: [{ key: 'k', path: '../k' }] }),
    /path of an item must be relative/,
  ],
  ['a mode that is no mode', mount({ defaultMode: 512 }), /less than or equal to 511/],
  ['an unknown profile', { resources: { profile: 'XXL' } }, /Unsupported value: "XXL"/],
  [
    'a profile and a limit',
    { resources: { profile: 'S', limits: { cpu: 1 } } },
    /either profile or requests and limits/,
  ],
  [
    'a limit of 128 bytes',
    { resources: { limits: { memory: 128 } } },
    /limits\.memory: .*greater than or equal to 16777216/,
  ],
  ['no quantity', { resources: { limits: { memory: 'much' } } }, /limits\.memory: .*should match/],
  [
    'a variable from two places',
    from({
      fieldRef: { fieldPath: 'metadata.name' },
      resourceFieldRef: { resource: 'limits.cpu' },
    }),
    /exactly one of secretKeyRef/,
  ],
  [
    'a variable from a file',
    from({ fileKeyRef: { volumeName: 'v', path: 'p', key: 'k' } }),
    /a function has no volume that a fileKeyRef could name/,
  ],
  [
    'a field of something else than a Pod',
    from({ fieldRef: { apiVersion: 'v2', fieldPath: 'metadata.name' } }),
    /fieldRef\.apiVersion: .*expected v1/,
  ],
  ['a field that is not known', field('metadata.uid'), /not known when an Instance starts/],
  ['all labels', field('metadata.labels'), /not known when an Instance starts/],
  [
    'an unknown resource',
    from({ resourceFieldRef: { resource: 'limits.disk' } }),
    /spec\.env\[0\]\.valueFrom\.resourceFieldRef\.resource: .*should match/,
  ],
  ['an account with a bad name', { serviceAccountName: 'A B' }, /spec\.serviceAccountName/],
];

for (const [title, spec, message] of refused) {
  test(`refused: ${title}`, async () => {
    const response = await world.post('wrong', spec);
    assert.equal(response.status, 422);
    assert.match(Object(await response.json()).message, message);
  });
}

const accepted: readonly [string, object][] = [
  [
    'mounts beside each other',
    {
      mounts: [
        { secret: 's', path: '/etc/s', defaultMode: 0o400 },
        { configMap: 'c', path: '/etc/s2', optional: true },
        { secret: 'x', path: '/x', items: [{ key: 'k', path: 'a/b', mode: 0 }] },
      ],
    },
  ],
  [
    'a field as a manifest has it',
    from({ fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } }),
  ],
  ['a profile', { resources: { profile: 'XS' } }],
  [
    'numbers',
    { resources: { requests: { cpu: 1, memory: '64Mi' }, limits: { cpu: '1.5', memory: '64Mi' } } },
  ],
  ['only requests', { resources: { requests: { memory: '1Gi' } } }],
  ['a name', field('metadata.name')],
  ['a label', field("metadata.labels['app.kubernetes.io/name']")],
  ['an address', field('status.podIP')],
  ['a limit', from({ resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } })],
  ['an account', { serviceAccountName: 'reader' }],
  ['a name with a dash', { env: [{ name: 'API-KEY', value: 'x' }] }],
];

for (const [title, spec] of accepted) {
  test(`accepted: ${title}`, async () => {
    const response = await world.post(title.replaceAll(' ', '-'), spec);
    assert.equal(response.status, 201);
  });
}

test('resources that contradict each other are told in a condition', async () => {
  await world.apply('greedy', {
    resources: { requests: { memory: '1Gi' }, limits: { memory: '512Mi' } },
  });
  const ready = await world.condition('greedy', 'Ready', 'False');
  assert.equal(ready.reason, 'ResourcesInvalid');
  assert.match(ready.message ?? '', /request of memory is 1Gi, expected at most its limit 512Mi/);
});
