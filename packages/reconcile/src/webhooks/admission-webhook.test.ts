import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type JsonObject, silentLogger, VirtualClock } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import type { AdmissionRequest } from '@fnlet/sdk/operator';
import type { WebHandler } from '../web-handler.ts';
import { createMutatingWebhook, createValidatingWebhook } from './admission-webhook.ts';
import { reviewBytesMax } from './limits.ts';

interface Site extends KubeObject {
  readonly spec: { readonly url?: string; readonly replicas?: number };
}

const ports = { clock: new VirtualClock(), logger: silentLogger };

const site: Site = {
  apiVersion: 'example.dev/v1',
  kind: 'Site',
  metadata: { name: 'a', namespace: 'web' },
  spec: { url: 'https://a' },
};

const asked: JsonObject = {
  uid: 'request-1',
  kind: { group: 'example.dev', version: 'v1', kind: 'Site' },
  resource: { group: 'example.dev', version: 'v1', resource: 'sites' },
  name: 'a',
  namespace: 'web',
  operation: 'CREATE',
  userInfo: { username: 'jane', groups: ['dev'] },
  object: site,
  oldObject: null,
  dryRun: true,
};

function review(request: unknown = asked, apiVersion = 'admission.k8s.io/v1'): RequestInit {
  return {
    method: 'POST',
    body: JSON.stringify({ apiVersion, kind: 'AdmissionReview', request }),
  };
}

async function call(handler: WebHandler, init: RequestInit = review()): Promise<Response> {
  return await handler(new Request('https://webhook/validate?timeout=5s', init));
}

async function respond(handler: WebHandler, init?: RequestInit): Promise<JsonObject> {
  const body: unknown = await (await call(handler, init)).json();
  assert.ok(isJsonObject(body) && isJsonObject(body.response));
  assert.equal(body.kind, 'AdmissionReview');
  return body.response;
}

test('a validating webhook sees the whole request, typed and frozen', async () => {
  let seen: AdmissionRequest<Site> | undefined;
  const handler = createValidatingWebhook<Site>((request) => {
    seen = request;
    return undefined;
  }, ports);
  assert.deepEqual(await respond(handler), { uid: 'request-1', allowed: true });
  assert.deepEqual(seen, {
    uid: 'request-1',
    operation: 'CREATE',
    key: { namespace: 'web', name: 'a' },
    object: site,
    oldObject: undefined,
    resource: { group: 'example.dev', version: 'v1', resource: 'sites' },
    subresource: '',
    user: { name: 'jane', uid: '', groups: ['dev'] },
    isDryRun: true,
    options: {},
  });
  assert.ok(Object.isFrozen(seen?.object?.spec));
});

test('a refusal has a status and a message, and warnings are told either way', async () => {
  const verdict = { denied: 'no such plan', code: 422, warnings: ['old field'] };
  const handler = createValidatingWebhook<Site>(() => verdict, ports);
  assert.deepEqual(await respond(handler), {
    uid: 'request-1',
    allowed: false,
    status: { code: 422, message: 'no such plan' },
    warnings: ['old field'],
  });
});

test('the answer is in the version of the question', async () => {
  const handler = createValidatingWebhook<Site>(() => undefined, ports);
  const response = await call(handler, review(asked, 'admission.k8s.io/v1beta1'));
  const body: unknown = await response.json();
  assert.ok(isJsonObject(body));
  assert.equal(body.apiVersion, 'admission.k8s.io/v1beta1');
});

test('a mutating webhook answers with the patch to the object that was returned', async () => {
  const handler = createMutatingWebhook<Site>(
    ({ object }) => object && { object: { ...object, spec: { replicas: 1, ...object.spec } } },
    ports,
  );
  const { patch, ...response } = await respond(handler);
  assert.deepEqual(response, { uid: 'request-1', allowed: true, patchType: 'JSONPatch' });
  assert.deepEqual(JSON.parse(Buffer.from(String(patch), 'base64').toString()), [
    { op: 'add', path: '/spec/replicas', value: 1 },
  ]);
});

test('an object that comes back as it was needs no patch, and a refused one gets none', async () => {
  const same = createMutatingWebhook<Site>(({ object }) => ({ object }), ports);
  assert.deepEqual(await respond(same), { uid: 'request-1', allowed: true });
  const changed = { ...site, spec: {} };
  const refused = createMutatingWebhook<Site>(() => ({ object: changed, denied: 'no' }), ports);
  assert.equal((await respond(refused)).patch, undefined);
});

test('what throws or takes too long is refused, and contained', async () => {
  const throwing = createValidatingWebhook<Site>(() => {
    throw new Error('broken');
  }, ports);
  const failed = { uid: 'request-1', allowed: false, status: { code: 500, message: 'broken' } };
  assert.deepEqual(await respond(throwing), failed);
  const clock = new VirtualClock();
  let isTold = false;
  const slow = createValidatingWebhook<Site>(
    (_, signal) => {
      signal.addEventListener('abort', () => {
        isTold = true;
      });
      return new Promise(() => {});
    },
    { ...ports, clock },
  );
  const waiting = respond(slow);
  await clock.advance(5_000);
  const status = { code: 500, message: 'not done after 5000 ms' };
  assert.deepEqual(await waiting, { uid: 'request-1', allowed: false, status });
  assert.ok(isTold);
});

test('what is no review is refused before anybody looks at it', async () => {
  const handler = createValidatingWebhook<Site>(() => assert.fail('called'), ports);
  const post = (body: string): RequestInit => ({ method: 'POST', body });
  assert.equal((await call(handler, { method: 'GET' })).status, 405);
  assert.equal((await call(handler, post('{'))).status, 400);
  assert.equal((await call(handler, post('{"kind":"AdmissionReview"}'))).status, 400);
  assert.equal((await call(handler, review({ uid: '' }))).status, 400);
  assert.equal((await call(handler, post('x'.repeat(reviewBytesMax + 1)))).status, 413);
  const odd = await respond(handler, review({ ...asked, operation: 'PATCH' }));
  assert.equal(odd.allowed, false);
});
