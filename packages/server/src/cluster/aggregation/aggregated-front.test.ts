import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { type ApiRequest, type ApiResponse, jsonResponse } from '@fnlet/apiserver/extension';
import { silentLogger } from '@fnlet/base';
import {
  type CertificatePair,
  createAuthority,
  signClientCertificate,
  signServerCertificate,
} from '@fnlet/client/tls';
import { AggregatedFront } from './aggregated-front.ts';
import { parseFrontProxyTerms } from './front-proxy.ts';

const host = 'fnlet-api.fnlet-system.svc';
const list = '/apis/events.fnlet.dev/v1alpha1/namespaces/shop/deadletters?limit=5';
const headers = { 'x-remote-user': 'ada', 'x-remote-group': ['devs', 'system:authenticated'] };

interface Ask {
  readonly path?: string;
  readonly method?: string;
  readonly shown?: CertificatePair | undefined;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: Uint8Array;
}

async function open(answer: (request: ApiRequest) => Promise<ApiResponse>) {
  const terms = { commonName: 'front-proxy-client', now: Date.now(), lifeMs: 3_600_000 };
  const [authority, front, other] = await Promise.all(
    ['webhook-ca', 'front-proxy-ca', 'other-ca'].map((commonName) =>
      createAuthority({ ...terms, commonName }),
    ),
  );
  assert.ok(authority && front && other);
  const strangers: string[] = [];
  const server = new AggregatedFront({
    certificate: await signServerCertificate(authority, [host], { ...terms, commonName: host }),
    groups: [
      {
        extension: { group: 'events.fnlet.dev', answer: (_, asked) => answer(asked) },
        versions: ['v1alpha1'],
      },
    ],
    onStranger: () => void strangers.push('stranger'),
    logger: silentLogger,
  });
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  const known = await signClientCertificate(front, terms);
  const ask = async ({ path = list, method = 'GET', body, ...rest }: Ask = {}) => {
    const shown = 'shown' in rest ? rest.shown : known;
    const sent = request({
      ...{ host: '127.0.0.1', port, path, method, ca: authority.certPem, servername: host },
      ...{ headers: rest.headers ?? headers, agent: false },
      ...(shown === undefined ? {} : { cert: shown.certPem, key: shown.keyPem }),
    });
    sent.end(body);
    const [response] = await once(sent, 'response');
    return { status: Number(response.statusCode), body: await text(response) };
  };
  return {
    ...{ server, ask, strangers },
    trust: () =>
      server.trust(
        parseFrontProxyTerms({
          'requestheader-client-ca-file': front.certPem,
          'requestheader-allowed-names': '["front-proxy-client"]',
          'requestheader-username-headers': '["X-Remote-User"]',
          'requestheader-group-headers': '["X-Remote-Group"]',
        }),
      ),
    foreign: () => signClientCertificate(other, terms),
    misnamed: () => signClientCertificate(front, { ...terms, commonName: 'admin' }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

test('AggregatedFront answers what the API server passes on, with who asks', async () => {
  let asked: ApiRequest | undefined;
  await using front = await open(async (request) => {
    asked = request;
    return jsonResponse(200, { kind: 'DeadLetterList', items: [] });
  });
  front.trust();
  const answer = await front.ask({ method: 'POST', body: Buffer.from('{}') });
  assert.equal(answer.status, 200);
  assert.deepEqual(JSON.parse(answer.body), { kind: 'DeadLetterList', items: [] });
  assert.equal(asked?.user?.name, 'ada');
  assert.deepEqual(asked?.user?.groups, ['devs', 'system:authenticated']);
  assert.equal(asked?.query.get('limit'), '5');
  assert.equal(asked?.path, '/apis/events.fnlet.dev/v1alpha1/namespaces/shop/deadletters');
});

test('AggregatedFront hears nobody else, whatever they say of themselves', async () => {
  let calls = 0;
  await using front = await open(async () => {
    calls += 1;
    return jsonResponse(200, {});
  });
  assert.equal((await front.ask()).status, 401, 'before it is known whom to believe');
  front.trust();
  assert.equal((await front.ask({ shown: undefined })).status, 401);
  assert.equal((await front.ask({ shown: await front.misnamed() })).status, 401);
  assert.equal((await front.ask({ headers: { 'x-remote-group': 'system:masters' } })).status, 401);
  const token = { ...headers, authorization: 'Bearer token' };
  assert.equal((await front.ask({ shown: undefined, headers: token })).status, 401);
  const before = front.strangers.length;
  assert.equal((await front.ask({ shown: await front.foreign() })).status, 401);
  assert.equal(front.strangers.length, before + 1, 'the authority may be another one by now');
  assert.equal(calls, 0);
});

test('AggregatedFront tells of its groups, and of nothing in them that others could delete', async () => {
  await using front = await open(async () => jsonResponse(200, {}));
  front.trust();
  const tell = async (path: string) => JSON.parse((await front.ask({ path })).body);
  assert.equal((await tell('/apis')).groups[0].name, 'events.fnlet.dev');
  assert.equal((await tell('/apis/events.fnlet.dev')).preferredVersion.version, 'v1alpha1');
  assert.deepEqual((await tell('/apis/events.fnlet.dev/v1alpha1')).resources, []);
  for (const path of ['/apis/other.dev', '/apis/events.fnlet.dev/v2/namespaces/a/b', '/metrics']) {
    assert.equal((await front.ask({ path })).status, 404, path);
  }
});

test('AggregatedFront bounds what it reads, and answers failures with a Status', async () => {
  await using front = await open(async () => {
    throw new Error('broken');
  });
  front.trust();
  const failed = await front.ask();
  assert.equal(failed.status, 500);
  assert.equal(JSON.parse(failed.body).kind, 'Status');
  const body = Buffer.alloc(5 * 1024 * 1024);
  assert.equal((await front.ask({ method: 'POST', body })).status, 413);
});
