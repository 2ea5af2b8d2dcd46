import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { startTestCluster, type TestCluster } from '@fnlet/testing';
import { judgeAggregation, readAggregation, warnOfAggregation } from './aggregation.ts';

const name = 'v1alpha1.events.fnlet.dev';

async function start(service = 'fnlet-api'): Promise<TestCluster> {
  const spec = {
    ...{ group: 'events.fnlet.dev', version: 'v1alpha1' },
    ...{ groupPriorityMinimum: 1_000, versionPriority: 100 },
    service: { namespace: 'fnlet-system', name: service, port: 443 },
  };
  const object = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', spec };
  return startTestCluster({ objects: [{ ...object, metadata: { name } }] });
}

async function say(cluster: TestCluster, status: 'True' | 'False'): Promise<void> {
  const answer = await cluster.client.transport.request({
    method: 'PATCH',
    path: `/apis/apiregistration.k8s.io/v1/apiservices/${name}/status`,
    contentType: 'application/merge-patch+json',
    body: { status: { conditions: [{ type: 'Available', status, message: 'said so' }] } },
  });
  assert.equal(answer.status, 200);
}

function begin(cluster: TestCluster) {
  const texts: string[] = [];
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      texts.push(String(chunk));
      done();
    },
  });
  const { client, clock } = cluster;
  const { signal } = new AbortController();
  const done = warnOfAggregation({ client, signal }, { clock, stderr });
  return { done, told: () => texts.join('') };
}

test('warnOfAggregation() waits until the API server reaches the controller', async () => {
  await using cluster = await start();
  await say(cluster, 'False');
  const { done, told } = begin(cluster);
  await cluster.advance('5s');
  await say(cluster, 'True');
  await cluster.advance('1s');
  await done;
  assert.equal(told(), '');
});

test('warnOfAggregation() says what to do where it does not', async () => {
  await using cluster = await start();
  await say(cluster, 'False');
  const { done, told } = begin(cluster);
  await cluster.advance('1m');
  await done;
  assert.match(
    told(),
    /^Warning: v1alpha1\.events\.fnlet\.dev: said so\n.*aggregatedApi: false\n$/,
  );
});

test('warnOfAggregation() asks nothing of groups that lead elsewhere, or of whom it does not say', async () => {
  for (const service of ['fnlet-api', 'other']) {
    await using cluster = await start(service);
    if (service === 'other') await say(cluster, 'False');
    const { done, told } = begin(cluster);
    await done;
    assert.equal(told(), '');
  }
});

test('judgeAggregation() warns of what is not reached, and of what is not known', async () => {
  assert.deepEqual(judgeAggregation([]), []);
  const state = (available: boolean | undefined): unknown =>
    judgeAggregation([{ name, available, message: 'said so' }]).map((finding) => finding.state);
  assert.deepEqual(state(true), ['ok']);
  assert.deepEqual(state(false), ['warn']);
  assert.deepEqual(state(undefined), ['warn']);
  await using cluster = await start();
  const { client } = cluster;
  const { signal } = new AbortController();
  await say(cluster, 'True');
  const [found] = await readAggregation({ client, signal });
  assert.deepEqual(found, { name, available: true, message: 'said so' });
});
