/** What Triggers demand of requests, in a real Fnlet: tokens of an issuer, who calls, who called. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { createApi, type TestApi } from './api-access.ts';
import { type FnletProcess, makeDataDirectory, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

/** Signs tokens, and shows its keys as OpenID Connect has it; whoever asks may say the claims. */
function issuer(url: string): string {
  return `
import { generateKeyPairSync, sign } from 'node:crypto';
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig' };
const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
export default async (request) => {
  const { pathname } = new URL(request.url);
  if (pathname.endsWith('/openid-configuration')) {
    return { issuer: ${JSON.stringify(url)}, jwks_uri: ${JSON.stringify(`${url}/keys`)} };
  }
  if (pathname === '/keys') return { keys: [jwk] };
  const exp = Math.floor(Date.now() / 1000) + 60;
  const claims = { iss: ${JSON.stringify(url)}, aud: 'orders', exp, ...(await request.json()) };
  const text = encode({ alg: 'ES256', kid: 'one' }) + '.' + encode(claims);
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' };
  return text + '.' + sign('sha256', Buffer.from(text), key).toString('base64url');
};`;
}

const echo = `
export default (request) => {
  const told = [...request.headers].filter(([name]) => /fnlet|email|api-key|auth/.test(name));
  return JSON.stringify(Object.fromEntries(told)).padEnd(2000);
};`;

let fnlet: FnletProcess;
let api: TestApi;
let dataDirectory: string;

before(async () => {
  dataDirectory = await makeDataDirectory();
  const log = join(dataDirectory, 'access.log');
  fnlet = await startFnlet({ dataDirectory, args: ['--access-log', log] });
  api = await createApi(fnlet.endpoints.kubeconfig);
  const issuerUrl = `${fnlet.endpoints.gateway}/default/issuer`;
  await api.applyFunction('issuer', { source: { inline: issuer(issuerUrl) } });
  await api.applyFunction('orders', { source: { inline: echo } });
  await api.applyCore('secrets', {
    kind: 'Secret',
    name: 'keys',
    stringData: { shop: `sha256:${createHash('sha256').update('shop-key').digest('hex')}` },
  });
  const email = { claim: 'email', header: 'X-User-Email' };
  const jwt = { issuer: issuerUrl, audiences: ['orders'], scopes: ['read'], forward: [email] };
  await applyTrigger({
    hosts: ['orders.example.com'],
    auth: { anyOf: [{ jwt }, { apiKey: { secret: 'keys' } }] },
    limits: { rates: [{ name: 'few', requests: 3, period: '1h', per: 'consumer' }] },
    compression: {},
  });
  await Promise.all(['issuer', 'orders'].map((name) => api.waitReady(name)));
});

after(async () => {
  await api.close();
  await fnlet[Symbol.asyncDispose]();
});

async function applyTrigger(http: object): Promise<void> {
  const manifest = {
    apiVersion: 'fnlet.dev/v1alpha1',
    kind: 'Trigger',
    metadata: { name: 'orders', namespace: 'default' },
    spec: { source: { http }, target: { function: 'orders' } },
  };
  const input = JSON.stringify(manifest);
  const { code, stderr } = await fnlet.kubectl(['apply', '-f', '-'], { input });
  assert.equal(code, 0, stderr);
  const ready = ['wait', 'trigger/orders', '--for=condition=Ready', '--timeout=20s'];
  assert.equal((await fnlet.kubectl(ready)).code, 0);
}

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

/** A GET of the route; fetch() would set Host itself. */
function ask(headers: Readonly<Record<string, string>>): Promise<Answered> {
  const port = new URL(fnlet.endpoints.gateway).port;
  const given = { host: 'orders.example.com', ...headers };
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: '/a?token=b', headers: given, agent: false };
    const asking = request(options, async (answer) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of answer) chunks.push(chunk);
      const { statusCode: status = 0, headers } = answer;
      resolve({ status, headers, body: Buffer.concat(chunks) });
    });
    asking.once('error', reject);
    asking.end();
  });
}

async function bearer(claims: object): Promise<Record<string, string>> {
  const url = `${fnlet.endpoints.gateway}/default/issuer/token`;
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(claims) });
  return { authorization: `Bearer ${await answer.text()}` };
}

test('a token of the issuer lets in, tells who calls, and is compressed for who likes it', async () => {
  const token = await bearer({ sub: 'ann', scope: 'read', email: 'ann@example.com' });
  const forged = { 'x-fnlet-consumer': 'eve', x_user_email: 'eve@example.com' };
  const answer = await ask({ ...token, ...forged, 'accept-encoding': 'gzip' });
  assert.equal(answer.status, 200, answer.body.toString());
  assert.equal(answer.headers['content-encoding'], 'gzip');
  assert.deepEqual(JSON.parse(gunzipSync(answer.body).toString()), {
    'x-fnlet-auth': 'jwt',
    'x-fnlet-consumer': 'ann',
    'x-user-email': 'ann@example.com',
  });
  assert.match(`${answer.headers.ratelimit}`, /^"few";r=2;/);
});

test('whoever is not let in wakes nobody, and is told why', async () => {
  const nobody = await ask({});
  assert.equal(nobody.status, 401);
  assert.match(`${nobody.headers['www-authenticate']}`, /Bearer realm="api", ApiKey/);
  assert.equal((await ask(await bearer({ sub: 'ann', scope: 'write' }))).status, 403);
  assert.equal((await ask(await bearer({ sub: 'ann', scope: 'read', aud: 'x' }))).status, 401);
  const { authorization = '' } = await bearer({ sub: 'ann', scope: 'read' });
  assert.equal((await ask({ authorization: `${authorization.slice(0, -4)}AAAA` })).status, 401);
});

test('who calls too often is told to wait, others are not; all of it is in the log', async () => {
  const key = { 'x-api-key': 'shop-key', traceparent: '' };
  const statuses: number[] = [];
  for (let i = 0; i < 4; i++) statuses.push((await ask(key)).status);
  assert.deepEqual(statuses, [200, 200, 200, 429]);
  assert.equal((await ask(await bearer({ sub: 'bob', scope: 'read' }))).status, 200);
  const entries = await until(
    async () => {
      const text = await readFile(join(dataDirectory, 'access.log'), 'utf8');
      const lines = text.split('\n').filter((line) => line.includes('orders.example.com'));
      return lines.length >= 10 ? lines.map((line) => JSON.parse(line)) : undefined;
    },
    { what: 'ten lines about the route' },
  );
  const last = entries.at(-1);
  assert.deepEqual(
    [last.path, last.status, last.consumer, last.function, last.complete],
    ['/a', 200, 'bob', 'orders', true],
  );
  assert.equal(entries.at(-2).status, 429);
  assert.doesNotMatch(JSON.stringify(entries), /token|shop-key|Bearer/);
});
