import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  cronJobTriggerCrd,
  kafkaTriggerCrd,
  kinesisTriggerCrd,
  natsTriggerCrd,
} from '@fnlet/api/kubeless';
import type { CustomResourceDefinition, KubeObject } from '@fnlet/machinery';
import fc from 'fast-check';
import { objectsOf } from '../../test/values-of-schema.ts';
import { translateCronTrigger } from './translate-cron-trigger.ts';
import { translateKinesisTrigger } from './translate-kinesis-trigger.ts';
import { translateKafkaTrigger, translateNatsTrigger } from './translate-topic-trigger.ts';
import type { TriggerTranslation } from './trigger-translation.ts';

function objectOf(kind: string, spec: object, annotations = {}): KubeObject {
  const metadata = { name: 'orders', namespace: 'shop', annotations };
  return Object({ apiVersion: 'kubeless.io/v1beta1', kind, metadata, spec });
}

const functions = ['bill', 'pack'].map((name) => ({
  metadata: { name, namespace: 'shop', labels: { function: name } },
}));
const kafka = { functions, servers: 'kafka.kubeless:9092' };
const nats = { functions, servers: 'nats://nats:4222' };

function reasonOf(translation: TriggerTranslation): string {
  return translation.kind === 'refused' ? translation.reasons.join('; ') : '';
}

function specOf(translation: TriggerTranslation) {
  assert.ok(translation.kind === 'translated');
  return translation.triggers[0]?.spec;
}

test('translateCronTrigger() keeps a text JSON, and sends nothing without a payload', () => {
  const of = (payload: unknown) => {
    const spec = { schedule: '@hourly', 'function-name': 'bill', payload };
    const { data, contentType } =
      specOf(translateCronTrigger(objectOf('CronJobTrigger', spec)))?.source.cron ?? {};
    return [data, contentType];
  };
  assert.deepEqual(of({ a: 1 }), [{ a: 1 }, undefined]);
  assert.deepEqual(of('a'), ['"a"', 'application/json']);
  assert.deepEqual(of(null), [undefined, undefined]);
  assert.deepEqual(of(false), [false, undefined]);
});

test('translateKafkaTrigger() knows what Kubeless said to its controllers by annotations', () => {
  const annotations = {
    ...{ 'fnlet.dev/servers': 'a:1,b:2', 'fnlet.dev/secret': 'kafka', 'fnlet.dev/tls': 'true' },
    'fnlet.dev/sasl': 'SCRAM-SHA-512',
  };
  const object = objectOf('KafkaTrigger', { topic: 'orders' }, annotations);
  assert.deepEqual(specOf(translateKafkaTrigger(object, kafka))?.source.kafka, {
    ...{ servers: ['a:1', 'b:2'], topics: ['orders'], from: 'newest' },
    ...{ consumerGroup: 'shop_orders_bill_orders', sasl: 'SCRAM-SHA-512', tls: true },
    secret: 'kafka',
  });
  const wrong = { 'fnlet.dev/sasl': 'GSSAPI', 'fnlet.dev/tls': 'yes', 'fnlet.dev/servers': 'a' };
  const refused = translateKafkaTrigger(objectOf('KafkaTrigger', { topic: 'a' }, wrong), kafka);
  assert.match(reasonOf(refused), /fnlet\.dev\/tls: found "yes".*fnlet\.dev\/sasl: found "GSSAPI"/);
  const server = { 'fnlet.dev/servers': 'a' };
  assert.match(
    reasonOf(translateKafkaTrigger(objectOf('KafkaTrigger', { topic: 'a' }, server), kafka)),
    /servers/,
  );
});

test('translateNatsTrigger() reads a stream where one is named', () => {
  const annotations = { 'fnlet.dev/stream': 'ORDERS' };
  const object = objectOf('NATSTrigger', { topic: 'orders.>' }, annotations);
  assert.deepEqual(specOf(translateNatsTrigger(object, nats))?.source.nats, {
    ...{ servers: ['nats://nats:4222'], subject: 'orders.>', stream: 'ORDERS', from: 'newest' },
  });
});

test('functions are selected by their labels', () => {
  const expression = (operator: string, values?: readonly string[]) => {
    const requirement = { key: 'function', operator, ...(values === undefined ? {} : { values }) };
    const functionSelector = { matchExpressions: [requirement] };
    return translateNatsTrigger(objectOf('NATSTrigger', { topic: 'a', functionSelector }), nats);
  };
  const names = (translation: TriggerTranslation): readonly string[] =>
    translation.kind === 'refused' ? [] : translation.triggers.map(({ metadata }) => metadata.name);
  assert.deepEqual(names(expression('NotIn', ['bill'])), ['orders.nats.pack']);
  assert.deepEqual(names(expression('Exists')), ['orders.nats.bill', 'orders.nats.pack']);
  assert.deepEqual(names(expression('DoesNotExist')), []);
  assert.match(
    reasonOf(expression('Like', ['a'])),
    /"Like" is not a valid label selector operator/,
  );
});

const texts = fc.oneof(
  fc.constantFrom('orders', 'a.b', 'a.*', '>', '..', ' ', '@hourly', '* * * * *', 'In', 'Exists'),
  fc.string(),
);

const kinds: readonly (readonly [
  string,
  CustomResourceDefinition,
  (object: KubeObject) => TriggerTranslation,
])[] = [
  ['CronJobTrigger', cronJobTriggerCrd, translateCronTrigger],
  ['KafkaTrigger', kafkaTriggerCrd, (object) => translateKafkaTrigger(object, kafka)],
  ['KinesisTrigger', kinesisTriggerCrd, translateKinesisTrigger],
  ['NATSTrigger', natsTriggerCrd, (object) => translateNatsTrigger(object, nats)],
];

for (const [kind, { spec }, translate] of kinds) {
  test(`there is an answer to whatever the kind ${kind} lets pass`, () => {
    const schema = spec.versions[0]?.schema?.openAPIV3Schema?.properties?.spec;
    fc.assert(
      fc.property(objectsOf(schema ?? {}, { texts, quantities: texts }), texts, (given, text) => {
        const annotations = { 'fnlet.dev/servers': text, 'fnlet.dev/secret': text };
        const translation = translate(objectOf(kind, Object(given), annotations));
        if (translation.kind === 'refused') assert.ok(translation.reasons.length > 0);
      }),
    );
  });
}
