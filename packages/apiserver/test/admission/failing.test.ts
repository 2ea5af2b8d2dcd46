import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { at } from '../at.ts';
import { type AnswerReview, openHookedServer, patching } from './hooked-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
const url = 'https://hooks.test/broken?timeout=10s';
const failed = 'Internal error occurred: failed calling webhook "broken.example.dev":';
const invalid = `${failed} received invalid webhook response:`;

const rows: readonly (readonly [string, AnswerReview, string])[] = [
  [
    'cannot be reached',
    () => new Error('connect ECONNREFUSED 127.0.0.1:1'),
    `${failed} failed to call webhook: Post "${url}": connect ECONNREFUSED 127.0.0.1:1`,
  ],
  [
    'answers something else than JSON',
    () => 'hello',
    `${failed} failed to call webhook: the answer is no JSON object`,
  ],
  ['says nothing', () => '{}', `${invalid} webhook response was absent`],
  ['answers another request', () => ({ uid: '1', allowed: true }), `${invalid} expected response`],
  [
    'answers in another version',
    ({ request }) => JSON.stringify({ response: { uid: request.uid, allowed: true } }),
    `${invalid} expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got`,
  ],
  [
    'changes what it may only look at',
    () => patching({ op: 'remove', path: '/metadata' }),
    `${invalid} validating webhook may not return response.patch`,
  ],
];

describe('a webhook that fails', () => {
  for (const [how, answer, message] of rows) {
    it(`refuses or ignores, as its policy says, when it ${how}`, async () => {
      await using server = await openHookedServer();
      server.hooks.set('/broken', answer);
      await server.configure('Validating', 'broken');
      const refused = await server.ask('POST', maps, { body });
      assert.equal(refused.status, 500);
      assert.ok(String(at(refused.body, '/message')).startsWith(message), String(refused.body));
      const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/broken';
      await server.ask('PATCH', path, {
        body: [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' }],
        contentType: 'application/json-patch+json',
      });
      assert.equal((await server.ask('POST', maps, { body })).status, 201);
      assert.equal(server.asked.length, 2);
    });
  }

  it('is not waited for longer than its timeout, and is told', async () => {
    await using server = await openHookedServer();
    const aborted = Promise.withResolvers<string>();
    server.hooks.set('/slow', (_, signal) => {
      signal.addEventListener('abort', () => aborted.resolve('aborted'));
      return new Promise(() => {});
    });
    await server.configure('Validating', 'slow', { timeoutSeconds: 3 });
    const answer = server.ask('POST', maps, { body });
    while (server.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await server.clock.advance(3000);
    const refused = await answer;
    assert.equal(refused.status, 500);
    assert.match(String(at(refused.body, '/message')), /webhook: context deadline exceeded$/);
    assert.equal(server.asked[0]?.timeout, '3s');
    assert.equal(await aborted.promise, 'aborted');
  });

  it('behind a Service that nothing serves says so', async () => {
    await using server = await openHookedServer();
    const service = { namespace: 'default', name: 'hook', path: '/v' };
    await server.configure('Validating', 'broken', { clientConfig: { service } });
    const { status, body: refusal } = await server.ask('POST', maps, { body });
    assert.equal(status, 500);
    const post = 'Post "https://hook.default.svc/v?timeout=10s"';
    const message = `${failed} failed to call webhook: ${post}: service "hook" not found`;
    assert.equal(at(refusal, '/message'), message);
  });

  it('trusts the authorities that its configuration names, and no others', async () => {
    await using server = await openHookedServer();
    server.hooks.set('/ca', () => ({ allowed: true }));
    const caBundle = Buffer.from('-----PEM-----').toString('base64');
    const clientConfig = { url: 'https://hooks.test/ca', caBundle };
    await server.configure('Validating', 'ca', { clientConfig });
    await server.ask('POST', maps, { body });
    assert.equal(server.asked[0]?.caPem, '-----PEM-----');
  });

  it('whose conditions have no value is not asked, and its policy decides', async () => {
    await using server = await openHookedServer();
    const matchConditions = [{ name: 'typo', expression: 'object.data.none == "1"' }];
    await server.configure('Validating', 'broken', { matchConditions });
    const { status, body: refusal } = await server.ask('POST', maps, { body });
    assert.equal(status, 403);
    const forbidden =
      /^configmaps "a" is forbidden: expression 'object.data.none == "1"' resulted in error: no such key: data$/;
    assert.match(String(at(refusal, '/message')), forbidden);
    assert.equal(server.asked.length, 0);
  });
});
