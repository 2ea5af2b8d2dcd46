import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { describe, it } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { openMemoryStore } from '@fnlet/store';
import { formatJwt, parseJwt } from '../src/auth/jwt.ts';
import { generateTokenKey, parseTokenKey } from '../src/auth/token-key.ts';
import type { ApiServerOptions } from '../src/index.ts';
import { at, listAt, objectAt, textAt } from './at.ts';
import { type Answer, type OpenedServer, openServer } from './opened-server.ts';

const accounts = '/api/v1/namespaces/default/serviceaccounts';
const secrets = '/api/v1/namespaces/default/secrets';
const issuer = 'https://kubernetes.default.svc.cluster.local';

async function openWithAccount(options: Partial<ApiServerOptions> = {}): Promise<OpenedServer> {
  const server = await openServer(options);
  await created(server.ask('POST', accounts, { body: { metadata: { name: 'sa' } } }));
  return server;
}

async function created(answer: Promise<Answer>): Promise<Answer> {
  const found = await answer;
  assert.equal(found.status, 201, JSON.stringify(found.body));
  return found;
}

const request = (server: OpenedServer, spec: object = {}, name = 'sa'): Promise<Answer> =>
  server.ask('POST', `${accounts}/${name}/token`, { body: { spec } });

async function tokenOf(server: OpenedServer, spec: object = {}): Promise<string> {
  return textAt((await created(request(server, spec))).body, '/status/token');
}

/** Who the bearer of the token is, or the status of the refusal. */
async function whoami(server: OpenedServer, token: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}` };
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  return server.ask('POST', path, { headers, body: {}, anonymous: true });
}

async function statusOf(server: OpenedServer, token: string): Promise<number> {
  return (await whoami(server, token)).status;
}

async function reviewed(
  server: OpenedServer,
  token: string,
  audiences?: string[],
): Promise<Answer> {
  const spec = { token, ...(audiences === undefined ? {} : { audiences }) };
  return server.ask('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { body: { spec } });
}

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  for (let turns = 0; turns < 1000; turns++) {
    if (await look()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.fail(`did not happen: ${what}`);
}

describe('a requested token', () => {
  it('stands for its ServiceAccount, for an hour', async () => {
    const clock = new VirtualClock();
    await using server = await openWithAccount({ clock });
    const { body } = await created(request(server));
    const token = textAt(body, '/status/token');
    assert.equal(at(body, '/kind'), 'TokenRequest');
    assert.equal(at(body, '/metadata/name'), 'sa');
    assert.deepEqual(at(body, '/spec'), { audiences: [issuer], expirationSeconds: 3600 });
    assert.equal(
      Date.parse(textAt(body, '/status/expirationTimestamp')),
      Math.floor(clock.now() / 1000 + 3600) * 1000,
    );
    const account = await server.ask('GET', `${accounts}/sa`);
    const answer = await whoami(server, token);
    const { username, uid, groups } = objectAt(answer.body, '/status/userInfo');
    assert.equal(username, 'system:serviceaccount:default:sa');
    assert.equal(uid, at(account.body, '/metadata/uid'));
    assert.deepEqual(groups, [
      'system:serviceaccounts',
      'system:serviceaccounts:default',
      'system:authenticated',
    ]);
    const id = '/status/userInfo/extra/authentication.kubernetes.io~1credential-id/0';
    assert.match(textAt(answer.body, id), /^JTI=[0-9a-f-]{36}$/);
    await clock.advance(3_599_000);
    assert.equal(await statusOf(server, token), 201);
    await clock.advance(2000);
    assert.equal(await statusOf(server, token), 401);
    const review = await reviewed(server, token);
    const error = '[invalid bearer token, service account token has expired]';
    assert.equal(at(review.body, '/status/error'), error);
  });

  it('has the claims of Kubernetes, and a signature that others can verify', async () => {
    await using server = await openWithAccount();
    const token = await tokenOf(server);
    const { header, claims, signed, signature } = parseJwt(token) ?? assert.fail();
    assert.equal(claims.iss, issuer);
    assert.equal(claims.sub, 'system:serviceaccount:default:sa');
    assert.deepEqual(claims.aud, [issuer]);
    const headers = { host: 'api.example.com:7443' };
    const found = await server.ask('GET', '/.well-known/openid-configuration', { headers });
    assert.equal(at(found.body, '/issuer'), issuer);
    assert.equal(at(found.body, '/jwks_uri'), 'https://api.example.com:7443/openid/v1/jwks');
    assert.deepEqual(at(found.body, '/id_token_signing_alg_values_supported'), ['ES256']);
    const { body } = await server.ask('GET', '/openid/v1/jwks');
    const key = objectAt(body, '/keys/0');
    assert.equal(key.kid, header.kid);
    assert.equal(key.d, undefined, 'the private part');
    const publicKey = createPublicKey({ key, format: 'jwk' });
    const options = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
    assert(verify('sha256', Buffer.from(signed), options, signature));
  });

  it('is refused for less than ten minutes, and to accounts that are not there', async () => {
    await using server = await openWithAccount();
    const short = await request(server, { expirationSeconds: 599 });
    assert.equal(
      textAt(short.body, '/message'),
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: ' +
        '599: may not specify a duration less than 10 minutes',
    );
    assert.equal((await request(server, { expirationSeconds: 600 })).status, 201);
    const long = await request(server, { expirationSeconds: 2 ** 32 + 1 });
    assert.match(textAt(long.body, '/message'), /larger than 2\^32 seconds$/);
    const nobody = await request(server, {}, 'nobody');
    assert.equal(at(nobody.body, '/message'), 'serviceaccounts "nobody" not found');
    assert.equal((await server.ask('GET', `${accounts}/sa/token`)).status, 405);
  });

  it('is worth nothing once its account is gone, also when another has its name', async () => {
    await using server = await openWithAccount();
    const token = await tokenOf(server);
    assert.equal(await statusOf(server, token), 201);
    await server.ask('DELETE', `${accounts}/sa`);
    assert.equal(await statusOf(server, token), 401);
    await created(server.ask('POST', accounts, { body: { metadata: { name: 'sa' } } }));
    assert.equal(await statusOf(server, token), 401);
    const error = textAt((await reviewed(server, token)).body, '/status/error');
    assert.match(error, /service account UID \(.*\) does not match claim/);
  });

  it('for another audience opens nothing here', async () => {
    await using server = await openWithAccount();
    const token = await tokenOf(server, { audiences: ['vault', 'registry'] });
    assert.equal(await statusOf(server, token), 401);
    const asked = await reviewed(server, token, ['registry', 'other']);
    assert.equal(at(asked.body, '/status/authenticated'), true);
    assert.deepEqual(at(asked.body, '/status/audiences'), ['registry']);
    assert.equal(at((await reviewed(server, token)).body, '/status/error'), 'invalid bearer token');
    const own = await tokenOf(server, { audiences: ['vault', issuer] });
    assert.equal(await statusOf(server, own), 201);
  });

  it('goes with the object that it is bound to', async () => {
    await using server = await openWithAccount();
    const bind = (kind: string, name: string, rest: object = {}): object => ({
      boundObjectRef: { kind, apiVersion: 'v1', name, ...rest },
    });
    await created(server.ask('POST', secrets, { body: { metadata: { name: 's' } } }));
    const bySecret = await tokenOf(server, bind('Secret', 's'));
    const pod = {
      metadata: { name: 'p' },
      spec: { serviceAccountName: 'sa', containers: [{ name: 'c', image: 'i' }] },
    };
    const pods = '/api/v1/namespaces/default/pods';
    const bound = await created(server.ask('POST', pods, { body: pod }));
    const uid = textAt(bound.body, '/metadata/uid');
    const byPod = await tokenOf(server, bind('Pod', 'p', { uid }));
    const extra = objectAt((await whoami(server, byPod)).body, '/status/userInfo/extra');
    assert.deepEqual(extra['authentication.kubernetes.io/pod-name'], ['p']);
    assert.deepEqual(extra['authentication.kubernetes.io/pod-uid'], [uid]);
    const stale = await request(server, bind('Pod', 'p', { uid: 'old' }));
    assert.equal(stale.status, 409);
    const unknown = await request(server, bind('ConfigMap', 'c'));
    assert.equal(
      at(unknown.body, '/message'),
      'cannot bind token to object of type /v1, Kind=ConfigMap',
    );
    await created(server.ask('POST', accounts, { body: { metadata: { name: 'other' } } }));
    const foreign = await request(server, bind('Pod', 'p'), 'other');
    assert.equal(foreign.status, 400);
    const nameless = { metadata: { name: 'd' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    await created(server.ask('POST', pods, { body: nameless }));
    assert.equal((await request(server, bind('Pod', 'd'), 'other')).status, 400);
    // Whoever is first makes it: this, or the controller of accounts.
    await server.ask('POST', accounts, { body: { metadata: { name: 'default' } } });
    assert.equal((await request(server, bind('Pod', 'd'), 'default')).status, 201);
    await created(server.ask('POST', '/api/v1/nodes', { body: { metadata: { name: 'n' } } }));
    const byNode = await tokenOf(server, bind('Node', 'n'));
    for (const [token, path] of [
      [byNode, '/api/v1/nodes/n'],
      [bySecret, `${secrets}/s`],
      [byPod, `${pods}/p`],
    ] as const) {
      assert.equal(await statusOf(server, token), 201);
      await server.ask('DELETE', path, { query: { gracePeriodSeconds: '0' } });
      assert.equal(await statusOf(server, token), 401);
    }
  });
});

describe('a forged token', () => {
  it('is refused, whatever is wrong with it', async () => {
    const pem = generateTokenKey();
    await using server = await openWithAccount({ tokenKeyPem: pem });
    const token = await tokenOf(server);
    const { header, claims, signed, signature } = parseJwt(token) ?? assert.fail();
    const { sign, publicJwk, id } = parseTokenKey(pem);
    const other = parseTokenKey(generateTokenKey());
    const flipped = Buffer.from(signature);
    flipped[3] = (flipped[3] ?? 0) ^ 1;
    const seal = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
    const evil = { ...claims, sub: 'system:serviceaccount:kube-system:admin' };
    const forged: Readonly<Record<string, string>> = {
      'signature of one changed bit': `${signed}.${seal(flipped)}`,
      'claims changed': formatJwt(header, evil, () => signature),
      'other key': formatJwt(header, claims, other.sign),
      'other key, and its name': formatJwt({ alg: 'ES256', kid: other.id }, claims, other.sign),
      'alg none': formatJwt({ alg: 'none', kid: id }, claims, () => Buffer.from('x')),
      'alg none, no signature': `${signed}.`,
      'public key as a shared secret': formatJwt({ alg: 'HS256', kid: id }, claims, () =>
        Buffer.from(JSON.stringify(publicJwk)),
      ),
      'other issuer': formatJwt(header, { ...claims, iss: 'https://evil.example' }, sign),
      'no expiry': formatJwt(header, { ...claims, exp: undefined }, sign),
      'expiry as text': formatJwt(header, { ...claims, exp: '9999999999' }, sign),
      'not valid yet': formatJwt(header, { ...claims, nbf: 4_102_444_800 }, sign),
      'empty signature': formatJwt(header, claims, () => new Uint8Array()),
      'very long': `${signed}${'A'.repeat(20_000)}.${seal(signature)}`,
      'of nobody': 'nonsense',
      'of nothing': '',
    };
    assert.equal(await statusOf(server, token), 201);
    for (const [what, text] of Object.entries(forged)) {
      assert.equal(await statusOf(server, text), 401, what);
    }
  });
});

describe('the key', () => {
  it('survives a restart', async () => {
    const store = openMemoryStore();
    const first = await openWithAccount({ store });
    const token = await tokenOf(first);
    await first.server.close();
    await using second = await openServer({ store });
    assert.equal(await statusOf(second, token), 201);
  });

  it('is one, whoever asks first', async () => {
    await using server = await openWithAccount();
    const tokens = await Promise.all([tokenOf(server), tokenOf(server), tokenOf(server)]);
    for (const token of tokens) assert.equal(await statusOf(server, token), 201);
    assert.equal(listAt((await server.ask('GET', '/openid/v1/jwks')).body, '/keys').length, 1);
  });

  it('may be an RSA key that is given', async () => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    await using server = await openWithAccount({ tokenKeyPem: privateKey });
    const token = await tokenOf(server);
    assert.equal(parseJwt(token)?.header.alg, 'RS256');
    assert.equal(await statusOf(server, token), 201);
  });

  it('is refused when it signs no tokens', () => {
    assert.throws(() => parseTokenKey('PEM'), { code: 'BrokenTokenKey' });
    const { privateKey } = generateKeyPairSync('ed25519', {
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    assert.throws(() => parseTokenKey(privateKey), /found a ed25519 key, expected a private key/);
  });
});

describe('a token Secret', () => {
  const type = 'kubernetes.io/service-account-token';
  const named = (account: string): object => ({
    metadata: { name: 't', annotations: { 'kubernetes.io/service-account.name': account } },
    type,
  });
  const read = (server: OpenedServer): Promise<Answer> => server.ask('GET', `${secrets}/t`);

  it('is filled with a token that counts as long as the Secret holds it', async () => {
    await using server = await openWithAccount({ caPem: 'PEM' });
    await created(server.ask('POST', secrets, { body: named('sa') }));
    await until('filled', async () => at((await read(server)).body, '/data/token') !== undefined);
    const { body } = await read(server);
    const decoded = (key: string): string =>
      Buffer.from(textAt(body, `/data/${key}`), 'base64').toString();
    assert.equal(decoded('namespace'), 'default');
    assert.equal(decoded('ca.crt'), 'PEM');
    const account = await server.ask('GET', `${accounts}/sa`);
    const uid = at(body, '/metadata/annotations/kubernetes.io~1service-account.uid');
    assert.equal(uid, at(account.body, '/metadata/uid'));
    const token = decoded('token');
    const found = await whoami(server, token);
    assert.equal(at(found.body, '/status/userInfo/username'), 'system:serviceaccount:default:sa');
    await server.ask('DELETE', `${secrets}/t`);
    assert.equal(await statusOf(server, token), 401);
  });

  it('goes with its account, or at once where there is none', async () => {
    await using server = await openWithAccount();
    await created(server.ask('POST', secrets, { body: named('sa') }));
    await until('filled', async () => at((await read(server)).body, '/data/token') !== undefined);
    await server.ask('DELETE', `${accounts}/sa`);
    await until('gone', async () => (await read(server)).status === 404);
    await created(server.ask('POST', secrets, { body: named('nobody') }));
    await until('gone again', async () => (await read(server)).status === 404);
  });

  it('must name an account', async () => {
    await using server = await openWithAccount();
    const { body } = await server.ask('POST', secrets, { body: { metadata: { name: 't' }, type } });
    const field = 'metadata.annotations[kubernetes.io/service-account.name]';
    assert.equal(at(body, '/message'), `Secret "t" is invalid: ${field}: Required value`);
  });
});
