import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  describeFunctionSelector,
  planTopicTrigger,
  planTopicTriggerUpdate,
  topicTriggerKinds,
} from './plan-topic-trigger.ts';

const key = { name: 'orders', namespace: 'default' };
const wish = { triggerTopic: 'orders', functionSelector: 'created-by=kubeless,function=bill' };

test('planTopicTrigger() makes what Kubeless makes', () => {
  assert.deepEqual(planTopicTrigger(topicTriggerKinds.kafka, key, wish), {
    apiVersion: 'kubeless.io/v1beta1',
    kind: 'KafkaTrigger',
    metadata: { ...key, labels: { 'created-by': 'kubeless' } },
    spec: {
      topic: 'orders',
      functionSelector: { matchLabels: { 'created-by': 'kubeless', function: 'bill' } },
    },
  });
  assert.equal(planTopicTrigger(topicTriggerKinds.nats, key, wish).kind, 'NATSTrigger');
});

test('planTopicTrigger() keeps all of a selector, and lists show it', () => {
  for (const [functionSelector, shown] of [
    ['a=b', 'a=b'],
    ['a in (b,c),!d,e', 'a in (b,c),!d,e'],
    ['a!=b', 'a notin (b)'],
    ['', '<none>'],
  ] as const) {
    const trigger = planTopicTrigger(topicTriggerKinds.nats, key, { ...wish, functionSelector });
    assert.equal(describeFunctionSelector(trigger.spec), shown);
  }
  for (const functionSelector of ['a=b=c', 'a>1']) {
    assert.throws(
      () => planTopicTrigger(topicTriggerKinds.nats, key, { ...wish, functionSelector }),
      /^CliError: Invalid label selector "/,
    );
  }
});

test('planTopicTriggerUpdate() changes what flags name, and keeps the rest', () => {
  const before = planTopicTrigger(topicTriggerKinds.kafka, key, wish);
  assert.deepEqual(planTopicTriggerUpdate(before, { triggerTopic: 'others' }).spec, {
    ...before.spec,
    topic: 'others',
  });
  const { functionSelector } = planTopicTriggerUpdate(before, { functionSelector: 'a=b' }).spec;
  assert.deepEqual(functionSelector, { matchLabels: { a: 'b' } });
});
