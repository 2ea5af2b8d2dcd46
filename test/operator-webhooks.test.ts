/** The webhooks of an operator that runs as a process of its own, asked by Fnlet's API over TLS. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { type Finished, runProgram } from './fnlet-process.ts';
import {
  fnletProgram,
  type OperatorWorkshop,
  openOperatorWorkshop,
  type RunningOperator,
} from './operator-workshop.ts';
import { until } from './until.ts';

const source = `import { ConfigMap, defineKind, field, mutating, operator, ready, validating } from 'fnlet/operator';

export const Greeting = defineKind({
  group: 'example.dev', version: 'v2', kind: 'Greeting', description: 'A greeting.',
  spec: {
    to: field.text('Who is greeted.'),
    by: field.text('Who greets.', { optional: true }),
  },
  olderVersions: {
    v1: {
      spec: { name: field.text('Who is greeted.') },
      deprecation: 'example.dev/v1 Greeting is deprecated; use v2',
      toNewest: ({ spec, metadata }) => ({
        spec: { to: spec.name, ...(metadata.annotations?.by ? { by: metadata.annotations.by } : {}) },
      }),
      fromNewest: ({ spec, metadata }) => ({
        spec: { name: spec.to },
        annotations: { ...metadata.annotations, ...(spec.by ? { by: spec.by } : {}) },
      }),
    },
  },
});

export default operator(Greeting, {
  owns: [ConfigMap],
  webhooks: [
    mutating(Greeting, ({ object, user }) =>
      object && { object: { ...object, spec: { by: user.name, ...object.spec } } }),
    validating(Greeting, ({ object }) =>
      object?.spec.to === 'nobody' ? { denied: 'spec.to must be somebody', code: 422 } : undefined),
  ],
  reconcile: ({ object: { metadata, spec } }) => ({
    children: [ConfigMap.of({
      metadata: { name: metadata.name },
      data: { text: spec.by + ' greets ' + spec.to },
    })],
    conditions: [ready()],
  }),
});
`;

function greetingType(version: string): ResourceType {
  const names = { kind: 'Greeting', plural: 'greetings', namespaced: true };
  return { group: 'example.dev', version, ...names };
}

interface Greeting extends KubeObject {
  readonly spec: Readonly<Record<string, string>>;
}

let shop: OperatorWorkshop;
before(async () => {
  shop = await openOperatorWorkshop(source);
});
after(() => shop[Symbol.asyncDispose]());

/** The operator's process, once it has said that it runs. */
async function runOperator(): Promise<RunningOperator> {
  const running = shop.run(fnletProgram, 'operator', 'run', 'greeting.ts');
  await until(() => running.said().includes('Running'), { what: 'the operator to run' });
  return running;
}

function greeting(version: string, name: string, spec: Greeting['spec']): Greeting {
  const metadata = { name, namespace: 'default' };
  return { apiVersion: `example.dev/${version}`, kind: 'Greeting', metadata, spec };
}

test('a definition that is printed says where it is converted, if that is known', async () => {
  const print = (...args: string[]): Promise<Finished> =>
    runProgram(process.execPath, [fnletProgram, 'operator', 'crd', 'greeting.ts', ...args], {
      ...{ cwd: shop.cwd, env: { PATH: process.env.PATH ?? '' } },
    });
  const unsaid = await print();
  assert.doesNotMatch(unsaid.stdout, /strategy: Webhook/);
  assert.match(unsaid.stderr, /Older versions lose .* --webhook-service/);
  const { stdout, stderr } = await print('--webhook-service', 'greetings/operator');
  assert.equal(stderr, '');
  assert.match(stdout, /strategy: Webhook/);
  assert.match(stdout, /namespace: greetings\n +name: operator\n +port: 443/);
});

test('run() serves the webhooks of its operators, and has told the API before it runs', async () => {
  await using operator = await runOperator();
  const [old, newest] = ['v1', 'v2'].map((version) =>
    shop.client.of<Greeting>(greetingType(version)),
  );
  assert.ok(old !== undefined && newest !== undefined);

  const made = await newest.create(greeting('v2', 'ada', { to: 'Ada' }));
  assert.deepEqual(
    made.spec,
    { to: 'Ada', by: 'kubernetes-admin' },
    'changed by the mutating webhook',
  );
  await assert.rejects(newest.create(greeting('v2', 'none', { to: 'nobody' })), {
    message:
      'admission webhook "validate.greetings.example.dev" denied the request: ' +
      'spec.to must be somebody',
  });

  const converted = await old.get({ namespace: 'default', name: 'ada' });
  assert.deepEqual(converted.spec, { name: 'Ada' });
  assert.equal(converted.metadata.annotations?.by, 'kubernetes-admin');
  await old.create(greeting('v1', 'bob', { name: 'Bob' }));
  const bob = await newest.get({ namespace: 'default', name: 'bob' });
  assert.deepEqual(
    bob.spec,
    { to: 'Bob', by: 'kubernetes-admin' },
    'asked about it in the newest version',
  );

  for (const [name, text] of [
    ['ada', 'kubernetes-admin greets Ada'],
    ['bob', 'kubernetes-admin greets Bob'],
  ] as const) {
    await until(async () => (await shop.textOf(name)) === text, { what: text });
  }
  assert.equal(await operator.stop(), 0);
  await assert.rejects(newest.create(greeting('v2', 'eve', { to: 'Eve' })), {
    message: /failed calling webhook "mutate\.greetings\.example\.dev"/,
  });

  await using again = await runOperator();
  const eve = await newest.create(greeting('v2', 'eve', { to: 'Eve' }));
  assert.equal(eve.spec.by, 'kubernetes-admin', 'trusted again, wherever it listens now');
  assert.equal(await again.stop(), 0);
});
