/** Objects of Kyma and Kubeless in a cluster, where the controller acts in place of theirs. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  cronJobTriggerCrd,
  httpTriggerCrd,
  kafkaTriggerCrd,
  kinesisTriggerCrd,
  kubelessFunctionCrd,
  natsTriggerCrd,
} from '@fnlet/api/kubeless';
import { kymaFunctionCrd } from '@fnlet/api/kyma';
import { apiRuleCrd, subscriptionCrd } from '@fnlet/api/kyma-modules';
import type { ResourceType } from '@fnlet/machinery';
import { applyObject, clusterWaitMs as timeoutMs } from './cluster-objects.ts';
import { ClusterParts } from './cluster-parts.ts';
import { until } from './until.ts';

function typeOf(apiVersion: string, kind: string, plural: string): ResourceType {
  const [group = '', version = ''] = apiVersion.split('/');
  return { group, version, kind, plural, namespaced: true };
}

async function seen(cluster: ClusterParts, file: string, line: string): Promise<void> {
  const lines = async (): Promise<readonly string[]> =>
    (await readFile(file, 'utf8').catch(() => '')).split('\n');
  await until(async () => (await lines()).includes(line), { what: line, timeoutMs }).catch(
    (error: unknown) => {
      throw new Error(cluster.output(), { cause: error });
    },
  );
}

async function answers(cluster: ClusterParts, url: string, text: string): Promise<void> {
  let last = '';
  await until(
    async () => {
      last = await (await fetch(url)).text();
      return last === text;
    },
    { what: `${text} at ${url}`, timeoutMs },
  ).catch((error: unknown) => {
    throw new Error(`${last}\n${cluster.output()}`, { cause: error });
  });
}

/** Publishes as functions of Kyma do, by the name of its publisher. */
function publish(insideUrl: string, event: object): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const body = JSON.stringify(event);
  const headers = {
    host: 'eventing-publisher-proxy.kyma-system.svc.cluster.local',
    'content-type': 'application/cloudevents+json',
    'content-length': Buffer.byteLength(body),
  };
  const sending = request(`${insideUrl}/publish`, { method: 'POST', headers }, (answer) => {
    answer.resume();
    resolve(answer.statusCode ?? 0);
  });
  sending.once('error', reject);
  sending.end(body);
  return promise;
}

test("Kyma's Functions, Subscriptions and APIRules act", async () => {
  await using cluster = await ClusterParts.start();
  await cluster.letAct('kyma', [kymaFunctionCrd, subscriptionCrd, apiRuleCrd]);
  await cluster.controller('kept', ['--kyma']);
  const { url, insideUrl } = await cluster.gateway();
  const file = join(cluster.api.dataDirectory, 'seen');
  const source = `const { appendFileSync } = require('node:fs');
module.exports = {
  main(event, context) {
    if (event['ce-type']) appendFileSync(${JSON.stringify(file)}, event['ce-type'] + '\\n');
    return 'Hello World!';
  },
};`;
  const functionType = typeOf('serverless.kyma-project.io/v1alpha2', 'Function', 'functions');
  const spec = { runtime: 'nodejs22', source: { inline: { source } } };
  await applyObject(cluster, functionType, { name: 'hello', spec });
  await answers(cluster, `${url}/default/hello`, 'Hello World!');

  const subscriptionType = typeOf(
    'eventing.kyma-project.io/v1alpha2',
    'Subscription',
    'subscriptions',
  );
  await applyObject(cluster, subscriptionType, {
    name: 'orders',
    spec: {
      ...{ sink: 'http://hello.default.svc.cluster.local', typeMatching: 'standard' },
      ...{ source: 'shop', types: ['order.created.v1'] },
    },
  });
  const event = { specversion: '1.0', id: '1', source: 'shop', type: 'order.created.v1' };
  let published = 0;
  await until(
    async () => {
      const id = `${published++}`;
      const status = await publish(insideUrl, { ...event, id, data: {} });
      const text = await readFile(file, 'utf8').catch(() => '');
      return status === 204 && text !== '';
    },
    { what: 'an event', timeoutMs },
  ).catch((error: unknown) => {
    throw new Error(cluster.output(), { cause: error });
  });
  await seen(cluster, file, 'order.created.v1');

  const ruleType = typeOf('gateway.kyma-project.io/v2', 'APIRule', 'apirules');
  await applyObject(cluster, ruleType, {
    name: 'shop',
    spec: {
      ...{ hosts: ['shop.example.com'], gateway: 'kyma-system/kyma-gateway' },
      service: { name: 'hello', port: 80 },
      rules: [{ path: '/*', methods: ['GET'], noAuth: true }],
    },
  });
  const shop = async (): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const headers = { host: 'shop.example.com' };
    const sending = request(`${url}/`, { headers }, async (answer) => {
      answer.setEncoding('utf8');
      resolve((await answer.toArray()).join(''));
    });
    sending.once('error', reject);
    sending.end();
    return promise;
  };
  await until(async () => (await shop()) === 'Hello World!', { what: 'the route', timeoutMs });
});

test("Kubeless's functions and their triggers act", async () => {
  await using cluster = await ClusterParts.start();
  const triggers = [kafkaTriggerCrd, natsTriggerCrd, kinesisTriggerCrd];
  const kinds = [kubelessFunctionCrd, cronJobTriggerCrd, httpTriggerCrd, ...triggers];
  await cluster.letAct('kubeless', kinds);
  await cluster.controller('kept', ['--kubeless']);
  const { url } = await cluster.gateway();
  const file = join(cluster.api.dataDirectory, 'seen');
  const code = `const { appendFileSync } = require('node:fs');
module.exports = {
  run(event) {
    appendFileSync(${JSON.stringify(file)}, 'called\\n');
    return 'hello';
  },
};`;
  const functionType = typeOf('kubeless.io/v1beta1', 'Function', 'functions');
  const spec = { handler: 'hello.run', runtime: 'nodejs14', function: code };
  await applyObject(cluster, functionType, { name: 'hello', spec });
  await answers(cluster, `${url}/default/hello`, 'hello');

  const httpType = typeOf('kubeless.io/v1beta1', 'HTTPTrigger', 'httptriggers');
  await applyObject(cluster, httpType, {
    name: 'site',
    spec: { 'function-name': 'hello', 'host-name': 'hello.example.com', path: '' },
  });
  const cronType = typeOf('kubeless.io/v1beta1', 'CronJobTrigger', 'cronjobtriggers');
  await applyObject(cluster, cronType, {
    name: 'tick',
    spec: { 'function-name': 'hello', schedule: '*/1 * * * *' },
  });
  const madeType = typeOf('fnlet.dev/v1alpha1', 'Trigger', 'triggers');
  const names = async (): Promise<readonly string[]> =>
    (await cluster.client.of(madeType).list()).items.map(({ metadata }) => metadata.name);
  await until(async () => (await names()).length === 2, { what: 'two Triggers', timeoutMs }).catch(
    (error: unknown) => {
      throw new Error(cluster.output(), { cause: error });
    },
  );
  await cluster.client.of(functionType).delete({ namespace: 'default', name: 'hello' });
  await until(async () => (await names()).length === 0, { what: 'them to go', timeoutMs });
  assert.match(await readFile(file, 'utf8'), /called/);
});
