import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planKinesisTrigger, planKinesisTriggerUpdate } from './plan-kinesis-trigger.ts';

const key = { name: 'clicks', namespace: 'default' };
const wish = {
  ...{ stream: 'clicks', awsRegion: 'eu-central-1', shardId: 'shardId-000000000000' },
  ...{ functionName: 'hello', secret: 'aws' },
};

test('planKinesisTrigger() makes what Kubeless makes', () => {
  const { metadata, spec } = planKinesisTrigger(key, wish);
  assert.deepEqual(metadata, { ...key, labels: { 'created-by': 'kubeless' } });
  assert.deepEqual(spec, {
    ...{ 'function-name': 'hello', 'aws-region': 'eu-central-1', secret: 'aws', stream: 'clicks' },
    shard: 'shardId-000000000000',
  });
  assert.equal(
    planKinesisTrigger(key, { ...wish, endpoint: 'http://a' }).spec.endpoint,
    'http://a',
  );
});

test('planKinesisTriggerUpdate() changes what flags name, and keeps the rest', () => {
  const before = planKinesisTrigger(key, { ...wish, endpoint: 'http://a' });
  const after = planKinesisTriggerUpdate(before, { shardId: '*', functionName: 'other' });
  assert.deepEqual(after.spec, { ...before.spec, shard: '*', 'function-name': 'other' });
});
