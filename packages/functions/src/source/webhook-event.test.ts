import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concerns, readWebhook } from './webhook-event.ts';

const main = JSON.stringify({ ref: 'refs/heads/main', repository: {} });

test('readWebhook() reads pushes of all servers', () => {
  const push = { kind: 'push', reference: 'refs/heads/main' };
  for (const headers of [
    { 'x-github-event': 'push' },
    { 'x-gitea-event': 'push', 'x-github-event': 'push' },
    { 'x-forgejo-event': 'push' },
    { 'x-gitlab-event': 'Push Hook' },
    {},
  ]) {
    assert.deepEqual(readWebhook({ headers, body: Buffer.from(main) }), push);
  }
  const form = new URLSearchParams({ payload: main }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
  assert.deepEqual(readWebhook({ headers, body: Buffer.from(form) }), push);
});

test('readWebhook() takes what it cannot read for a push to anything', () => {
  for (const body of ['', 'x', '[]', '{"ref": 7}', '{"push": {}}']) {
    const event = readWebhook({ headers: {}, body: Buffer.from(body) });
    assert.deepEqual(event, { kind: 'push', reference: undefined });
  }
});

test('readWebhook() knows what changes no source', () => {
  for (const [header, name] of [
    ['x-github-event', 'ping'],
    ['x-github-event', 'issues'],
    ['x-gitlab-event', 'Pipeline Hook'],
  ] as const) {
    const event = readWebhook({ headers: { [header]: name }, body: Buffer.from(main) });
    assert.deepEqual(event, { kind: 'other', name });
  }
});

test('concerns() tells the branch and the tag that are followed from all others', () => {
  assert.ok(concerns('refs/heads/main', 'main'));
  assert.ok(concerns('refs/tags/v1', 'v1'));
  assert.ok(concerns('refs/heads/main', 'refs/heads/main'));
  assert.ok(concerns('v1', 'v1'));
  assert.ok(concerns(undefined, 'main'));
  assert.ok(concerns('refs/heads/main', undefined));
  assert.ok(!concerns('refs/tags/v1', undefined));
  assert.ok(!concerns('refs/heads/other', 'main'));
  assert.ok(!concerns('refs/heads/x/main', 'main'));
});
