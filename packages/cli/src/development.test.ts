import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  developmentUntilAnnotation,
  type FunctionObject,
  functionCrd,
  functionType,
} from '@fnlet/api';
import { startTestCluster, type TestCluster } from '@fnlet/testing';
import {
  type Developed,
  endDevelopment,
  isSoon,
  keepDeveloped,
  putOffDevelopmentEnd,
} from './development.ts';
import { developmentMs, developmentRenewMs } from './limits.ts';

const key = { namespace: 'default', name: 'hello' };
const minuteMs = 60_000;

async function start(): Promise<readonly [TestCluster, Developed]> {
  const hello = {
    ...{ apiVersion: 'fnlet.dev/v1alpha1', kind: 'Function', metadata: key },
    spec: { runtime: 'nodejs24', source: { inline: 'x' }, development: true },
  };
  const cluster = await startTestCluster({ objects: [functionCrd, hello] });
  const functions = cluster.client.of<FunctionObject>(functionType);
  return [cluster, { functions, key, clock: cluster.clock }];
}

/** How long it counts still, in minutes; `undefined`: nobody has said it. */
async function minutesLeft({ client, clock }: TestCluster): Promise<number | undefined> {
  const { metadata } = await client.of<FunctionObject>(functionType).get(key);
  const until = metadata.annotations?.[developmentUntilAnnotation];
  return until === undefined ? undefined : (Date.parse(until) - clock.now()) / minuteMs;
}

test('keepDeveloped() puts the end off again and again, and nobody does once it is gone', async () => {
  const [cluster, developed] = await start();
  await using _ = cluster;
  const gone = new AbortController();
  await putOffDevelopmentEnd(developed, gone.signal);
  assert.equal(await minutesLeft(cluster), 15);
  const kept = keepDeveloped(developed, () => true, gone.signal);
  await cluster.advance(4 * minuteMs);
  assert.equal(await minutesLeft(cluster), 11);
  await cluster.advance(8 * minuteMs);
  assert.equal(await minutesLeft(cluster), 13, 'it was put off after ten minutes');
  gone.abort();
  await kept;
  await cluster.advance(20 * minuteMs);
  assert.equal(await minutesLeft(cluster), -7);
});

test('keepDeveloped() goes on where the API was away, and says nothing of what is not marked', async () => {
  const [cluster, developed] = await start();
  await using _ = cluster;
  const gone = new AbortController();
  let isMarked = false;
  const kept = keepDeveloped(developed, () => isMarked, gone.signal);
  await cluster.advance(6 * minuteMs);
  assert.equal(await minutesLeft(cluster), undefined);
  isMarked = true;
  cluster.faults.unavailable({ verb: 'patch', times: 1 });
  await cluster.advance(5 * minuteMs);
  assert.equal(await minutesLeft(cluster), undefined);
  await cluster.advance(5 * minuteMs);
  assert.equal(await minutesLeft(cluster), 14);
  gone.abort();
  await kept;
});

test('endDevelopment() takes back all that was said', async () => {
  const [cluster, developed] = await start();
  await using _ = cluster;
  const { signal } = new AbortController();
  await putOffDevelopmentEnd(developed, signal);
  await endDevelopment(developed, signal);
  assert.equal(await minutesLeft(cluster), undefined);
  const { spec } = await developedSpec(cluster);
  assert.equal(spec.development, undefined);
});

function developedSpec({ client }: TestCluster): Promise<FunctionObject> {
  return client.of<FunctionObject>(functionType).get(key);
}

test('isSoon() asks for a write where none was said, or the last one was a renewal ago', () => {
  const nowMs = Date.parse('2030-01-01T12:00:00Z');
  const inMs = (ms: number): string => new Date(nowMs + ms).toISOString();
  assert.equal(isSoon(inMs(developmentMs), nowMs), false);
  assert.equal(isSoon(inMs(developmentMs - developmentRenewMs), nowMs), false);
  assert.equal(isSoon(inMs(developmentMs - developmentRenewMs - 1), nowMs), true);
  for (const until of [undefined, '', 'tomorrow', inMs(-1)]) {
    assert.equal(isSoon(until, nowMs), true, until);
  }
});
