import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition } from '@fnlet/machinery';
import {
  ConfigMap,
  Deployment,
  Job,
  type Kind,
  kind,
  Namespace,
  type ObjectShape,
  operator,
  ready,
} from '@fnlet/sdk/operator';
import { type OperatorTest, testOperator } from '../src/index.ts';

// What operators say in statuses of kinds that are not their own: there is less room, and others
// say something there, too.

interface Judged extends ObjectShape {
  readonly metadata: ObjectShape['metadata'] & { readonly managedFields?: readonly Owner[] };
  readonly status?: { readonly observedGeneration?: number; readonly conditions?: Condition[] };
}

interface Owner {
  readonly manager: string;
  readonly fieldsV1: { readonly 'f:status'?: object };
}

const pod = { containers: [{ name: 'a', image: 'node' }] };
const labels = { app: 'a' };

const Gateway = kind<Judged>({
  ...{ group: 'gateway.networking.k8s.io', version: 'v1', kind: 'Gateway', plural: 'gateways' },
  scope: 'Namespaced',
});

function gatewayDefinition(conditionFields: object): {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations: Record<string, string> };
  readonly spec: object;
} {
  const text = { type: 'string' };
  const items = {
    ...{ type: 'object', required: ['type'] },
    properties: {
      ...{ type: text, status: text, reason: text, message: text, lastTransitionTime: text },
      ...conditionFields,
    },
  };
  const lists = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] };
  const conditions = { type: 'array', items, ...lists };
  const properties = {
    spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    status: { type: 'object', properties: { conditions } },
  };
  const schema = { openAPIV3Schema: { type: 'object', properties } };
  const version = { name: 'v1', served: true, storage: true, schema, subresources: { status: {} } };
  return {
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: {
      name: 'gateways.gateway.networking.k8s.io',
      annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes/test' },
    },
    spec: {
      ...{ group: 'gateway.networking.k8s.io', scope: 'Namespaced', versions: [version] },
      names: { kind: 'Gateway', plural: 'gateways' },
    },
  };
}

/** Runs an operator that only says Ready of an object; what it says then, and owns. */
async function judge(
  of: Kind,
  {
    spec,
    objects = [],
  }: { readonly spec: object; readonly objects?: readonly ReturnType<typeof gatewayDefinition>[] },
): Promise<{
  readonly t: OperatorTest;
  readonly owned: readonly string[];
  readonly said: Condition;
}> {
  const judged = operator(of, { name: 'judge', reconcile: () => ({ conditions: [ready()] }) });
  const t = await testOperator(judged, { objects: objects.map((one) => ({ ...one })) });
  await t.create(of, { metadata: { name: 'a' }, ...{ spec } });
  await t.settle();
  const found: Judged | undefined = await t.get(kind<Judged>(of), 'a');
  const owner = found?.metadata.managedFields?.find(({ manager }) => manager === 'judge');
  const said = found?.status?.conditions?.find(({ type }) => type === 'Ready');
  assert.ok(said);
  return { t, said, owned: Object.keys(owner?.fieldsV1['f:status'] ?? {}) };
}

test('a condition is said of a Deployment; what its controller has observed is not for others to say', async () => {
  const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } };
  const { t, owned, said } = await judge(Deployment, { spec });
  await using _ = t;
  assert.deepEqual(owned, ['f:conditions']);
  assert.equal(said.status, 'True');
  assert.equal(said.observedGeneration, undefined, 'there is no room for it');
  const refused = t.writes.filter(({ status }) => status >= 400);
  assert.equal(refused.length, 1, 'that is found out once');
  await t.create(Deployment, { metadata: { name: 'b' }, spec });
  await t.settle();
  assert.equal(t.writes.filter(({ status }) => status >= 400).length, 1);
});

test('a condition is said of a Job, whose status has no room for generations at all', async () => {
  const { t, owned } = await judge(Job, {
    spec: { template: { spec: { ...pod, restartPolicy: 'Never' } } },
  });
  await using _ = t;
  assert.deepEqual(owned, ['f:conditions']);
});

test('of a Namespace, only what the operator says is its own', async () => {
  const { t, owned } = await judge(Namespace, { spec: {} });
  await using _ = t;
  assert.deepEqual(owned, ['f:conditions'], 'the phase is not taken from its controller');
});

test('where conditions have room, they tell the generation that they are about', async () => {
  const objects = [gatewayDefinition({ observedGeneration: { type: 'integer' } })];
  const { t, owned, said } = await judge(Gateway, { spec: {}, objects });
  await using _ = t;
  assert.deepEqual(owned, ['f:conditions']);
  assert.equal(said.observedGeneration, 1);
  assert.deepEqual(
    t.writes.filter(({ status }) => status >= 400),
    [],
  );
});

test('a kind of others without room for generations gets its condition all the same', async () => {
  const { t, said } = await judge(Gateway, { spec: {}, objects: [gatewayDefinition({})] });
  await using _ = t;
  assert.equal(said.observedGeneration, undefined);
});

test('a kind without a status is said to have none, and is not tried again', async () => {
  const lines: string[] = [];
  const error = (text: string): void => void lines.push(text);
  const quiet = (): void => undefined;
  const logger = { debug: quiet, info: quiet, warn: quiet, error };
  const maps = operator(ConfigMap, { reconcile: () => ({ conditions: [ready()] }) });
  await using t = await testOperator(maps, { logger, twice: false });
  await t.create(ConfigMap, { metadata: { name: 'a' } });
  await t.settle();
  assert.ok(
    lines.includes(
      'Cannot reconcile "default/a": Cannot write the status of ConfigMap "a": ' +
        'found that its kind has none',
    ),
    lines.join('\n'),
  );
  t.clearWrites();
  await t.tick('1h');
  assert.deepEqual(t.writes, []);
});
