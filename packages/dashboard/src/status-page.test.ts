import assert from 'node:assert/strict';
import { test } from 'node:test';
import { functionState, type ListedFunction, renderStatusPage } from './status-page.ts';

const hello: ListedFunction = {
  namespace: 'default',
  name: 'hello',
  runtime: 'nodejs24',
  url: 'http://127.0.0.1:8080/default/hello',
  replicas: 1,
  conditions: [{ type: 'Ready', status: 'True' }],
};

const snapshot = {
  version: '0.1.0',
  startedAtMs: 0,
  nowMs: 61_000,
  endpoints: [{ name: 'API', url: 'https://127.0.0.1:7443', purpose: 'kubectl' }],
  kubeconfig: '/data/kubeconfig',
  dataDirectory: '/data',
  functions: [hello],
};

test('functionState() says what the newest generation does', () => {
  const withReady = (status: 'True' | 'False' | 'Unknown', replicas: number): ListedFunction => ({
    ...hello,
    replicas,
    conditions: [{ type: 'Ready', status }],
  });
  assert.equal(functionState(withReady('True', 1)), 'serving');
  assert.equal(functionState(withReady('True', 0)), 'asleep');
  assert.equal(functionState(withReady('False', 1)), 'failed');
  assert.equal(functionState(withReady('Unknown', 0)), 'starting');
  assert.equal(functionState({ ...hello, conditions: [] }), 'starting');
});

test('renderStatusPage() tells what runs, where, and in which state', () => {
  const page = renderStatusPage(snapshot);
  for (const text of ['up for 61 s', 'https://127.0.0.1:7443', 'default/hello', '>serving<']) {
    assert.ok(page.includes(text), text);
  }
});

test('renderStatusPage() escapes what users wrote', () => {
  const failed: ListedFunction = {
    ...hello,
    conditions: [{ type: 'Ready', status: 'False', message: '<script>alert("1")</script>' }],
  };
  const page = renderStatusPage({ ...snapshot, functions: [failed] });
  assert.ok(!page.includes('<script>'));
  assert.ok(page.includes('&lt;script&gt;alert(&quot;1&quot;)'));
});
