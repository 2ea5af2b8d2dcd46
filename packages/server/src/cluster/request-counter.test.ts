import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Transport, TransportResponse } from '@fnlet/client';
import { RequestCounter, resourceOf } from './request-counter.ts';

for (const [path, resource] of [
  ['/api/v1/pods', 'pods'],
  ['/api/v1/namespaces/default/pods', 'pods'],
  ['/api/v1/namespaces/default/pods/one', 'pods'],
  ['/api/v1/namespaces/default/serviceaccounts/one/token', 'serviceaccounts/token'],
  ['/api/v1/namespaces/default', 'namespaces'],
  ['/api/v1/namespaces/default/status', 'namespaces/status'],
  ['/apis/fnlet.dev/v1alpha1/functions', 'functions'],
  ['/apis/fnlet.dev/v1alpha1/namespaces/default/functions/one/status', 'functions/status'],
  ['/apis/apiextensions.k8s.io/v1/customresourcedefinitions/one', 'customresourcedefinitions'],
  ['/apis/fnlet.dev/v1alpha1', ''],
  ['/version', ''],
] as const) {
  test(`resourceOf() says that ${path} is about "${resource}"`, () => {
    assert.equal(resourceOf(path), resource);
  });
}

const answer: TransportResponse = {
  status: 200,
  headers: {},
  json: async () => ({}),
  documents: async function* documents() {},
  bytes: async function* bytes() {},
};

function transportOf(request: Transport['request']): Transport {
  return { request, close: async () => {}, [Symbol.asyncDispose]: async () => {} };
}

test('requests are counted by what they are about, not by name', async () => {
  const counter = new RequestCounter();
  const transport = counter.over(transportOf(async () => answer));
  for (const name of ['one', 'other']) {
    const path = `/api/v1/namespaces/default/pods/${name}`;
    assert.equal(await transport.request({ method: 'GET', path }), answer);
  }
  const { samples } = counter.family();
  assert.deepEqual(samples, [
    { labels: { code: '200', method: 'GET', resource: 'pods' }, value: 2 },
  ]);
});

test('a request without an answer fails as before, and is counted', async () => {
  const counter = new RequestCounter();
  const failure = new Error('out of reach');
  const transport = counter.over(transportOf(() => Promise.reject(failure)));
  await assert.rejects(transport.request({ method: 'POST', path: '/api/v1/pods' }), failure);
  const { samples } = counter.family();
  assert.deepEqual(samples, [
    { labels: { code: '<error>', method: 'POST', resource: 'pods' }, value: 1 },
  ]);
});
