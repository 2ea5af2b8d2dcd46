import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap, Deployment, Service } from 'fnlet/operator';
import { testOperator } from 'fnlet/testing';
import webSites, { WebSite } from './website.ts';

const site = { metadata: { name: 'hello' }, spec: { html: '<h1>Hello</h1>', replicas: 2 } };

test('a WebSite gets a page, Pods that serve it, and a Service', async () => {
  await using t = await testOperator(webSites);
  await t.create(WebSite, site);
  await t.settle();
  assert.equal((await t.get(ConfigMap, 'hello'))?.data?.['index.html'], '<h1>Hello</h1>');
  assert.equal((await t.get(Deployment, 'hello'))?.spec?.replicas, 2);
  assert.equal((await t.get(Service, 'hello'))?.spec?.ports?.[0]?.targetPort, 8080);
  const { status } = (await t.get(WebSite, 'hello')) ?? {};
  assert.equal(status?.url, 'http://hello.default.svc');
  assert.equal(status?.conditions?.find(({ type }) => type === 'Ready')?.reason, 'Starting');
});

test('a WebSite is ready when its Pods are', async () => {
  await using t = await testOperator(webSites);
  await t.create(WebSite, site);
  await t.settle();
  await t.patchStatus(Deployment, 'hello', { readyReplicas: 2, replicas: 2 });
  await t.settle();
  const { status } = (await t.get(WebSite, 'hello')) ?? {};
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  assert.equal(ready?.message, '2 of 2 Pods serve the page.');
  assert.equal(ready?.status, 'True');
});

test('a change of the page is one write; a foreign label is none', async () => {
  await using t = await testOperator(webSites);
  await t.create(WebSite, site);
  await t.settle();
  t.clearWrites();
  await t.patch(WebSite, 'hello', { spec: { html: '<h1>Bye</h1>' } });
  await t.settle();
  assert.deepEqual(
    t.writes.map(({ resource, subresource }) => `${resource}/${subresource}`),
    ['configmaps/', 'websites/status'],
  );
  t.clearWrites();
  await t.patch(WebSite, 'hello', { metadata: { labels: { team: 'blue' } } });
  await t.settle();
  assert.deepEqual(t.writes, []);
});
