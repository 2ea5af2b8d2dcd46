import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { silentLogger, VirtualClock } from '@fnlet/base';
import {
  type AuthMethodSettings,
  RoutePolicies,
  type RoutePolicySettings,
} from '../../src/policies.ts';
import type { RoutePolicy } from '../../src/policy/route-policy.ts';
import { encode, goodClaims, Issuer, issuerName, nowSeconds } from './issuer.ts';
import { answerFields, outcome, request } from './request.ts';

const issuer = new Issuer();
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const apiKey: AuthMethodSettings = {
  kind: 'apiKey',
  header: 'X-Api-Key',
  query: 'key',
  consumers: new Map([
    ['shop', [sha256('shop-key'), sha256('shop-key-2')]],
    ['till', [sha256('till-key')]],
  ]),
};
const basic: AuthMethodSettings = {
  kind: 'basic',
  realm: 'the "shop"',
  users: new Map([['ann', '{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=']]),
};
const jwt: AuthMethodSettings = {
  kind: 'jwt',
  issuer: issuerName,
  audiences: ['orders', 'billing'],
  scopes: ['read'],
  claims: [{ claim: 'realm.roles', values: ['clerk', 'chief'] }],
  leewayMs: 5_000,
  forward: [
    { claim: 'email', header: 'X-User-Email' },
    { claim: 'realm.roles', header: 'X-User-Roles' },
  ],
};
const claims = { ...goodClaims, realm: { roles: ['guest', 'clerk'] } };

function policies(): RoutePolicies {
  const clock = new VirtualClock(nowSeconds * 1000);
  return new RoutePolicies({ clock, logger: silentLogger, fetchJson: issuer.fetchJson });
}

function policy(methods: readonly AuthMethodSettings[], anonymous = false): RoutePolicy {
  return policies().make('t', { auth: { methods, anonymous, forwardCredentials: false } });
}

const basicOf = (text: string): string => `Authorization: Basic ${btoa(text)}`;
const bearer = (token: string): string => `Authorization: Bearer ${token}`;
const refused = '401 Unauthenticated';
const asShop = '200 X-Fnlet-Auth=apiKey X-Fnlet-Consumer=shop';
const asAnn = '200 X-Fnlet-Auth=basic X-Fnlet-Consumer=ann';
const asToken = '200 X-Fnlet-Auth=jwt X-Fnlet-Consumer=ann X-User-Roles=guest,clerk';

test('API keys: the matrix', async () => {
  const keys = policy([apiKey]);
  for (const [lines, target, expected] of [
    [[], '/', refused],
    [['X-Api-Key: shop-key'], '/', asShop],
    [['x-aPI-key:  shop-key-2 '], '/', asShop],
    [['X-Api-Key: till-key'], '/', asShop.replace('shop', 'till')],
    [['X-Api-Key: wrong'], '/', refused],
    [['X-Api-Key:'], '/', refused],
    [['X-Api-Key: shop-key x'], '/', refused],
    [['X-Api-Key: SHOP-KEY'], '/', refused],
    [[`X-Api-Key: ${sha256('shop-key')}`], '/', refused],
    [[`X-Api-Key: sha256:${sha256('shop-key')}`], '/', refused],
    [[`X-Api-Key: ${'k'.repeat(20_000)}`], '/', refused],
    [['X-Api-Key: shop-key', 'x-api-key: shop-key'], '/', '400 BadRequest'],
    [['X-Api-Key: wrong', 'X-API-KEY: shop-key'], '/', '400 BadRequest'],
    // An underscore is not a dash, and what Connection names does not reach the function.
    [['X_Api_Key: shop-key'], '/', refused],
    [['X-Api-Key: shop-key', 'Connection: x-api-key'], '/', refused],
    [['Authorization: shop-key'], '/', refused],
    [[], '/a?b=1&key=shop-key', asShop],
    [[], '/a?b=1&k%65y=shop%2Dkey', asShop],
    [[], '/a?key=', refused],
    [[], '/a?KEY=shop-key', refused],
    [[], '/a?key=shop-key&key=shop-key', refused],
    [['X-Api-Key: wrong'], '/?key=shop-key', refused],
  ] as const) {
    assert.equal(await outcome(keys, request(lines, { target })), expected, `${lines} ${target}`);
  }
});

test('basic: the matrix', async () => {
  const users = policy([basic]);
  for (const [lines, expected] of [
    [[], refused],
    [[basicOf('ann:secret')], asAnn],
    [[basicOf('ann:secret').replace('Basic', 'bAsIc  ')], asAnn],
    [[basicOf('ann:Secret')], refused],
    [[basicOf('ann:')], refused],
    [[basicOf('ann')], refused],
    [[basicOf(':secret')], refused],
    [[basicOf('bob:secret')], refused],
    [[basicOf('__proto__:secret')], refused],
    [['Authorization: Basic'], refused],
    [['Authorization: Basic ***'], refused],
    [[`Authorization: Basic ${btoa('ann:secret')} x`], refused],
    [[`Authorization: Basic ${'A'.repeat(20_000)}`], refused],
    [[basicOf('ann:secret'), basicOf('ann:secret')], '400 BadRequest'],
    [[basicOf('ann:secret'), bearer('x')], '400 BadRequest'],
    [[bearer('x')], refused],
    [[`Authorization: ${btoa('ann:secret')}`], refused],
  ] as const) {
    // Each from somewhere else: wrong passwords of one client are limited.
    const address = `192.0.2.${lines.join().length % 250}`;
    assert.equal(await outcome(users, request(lines, { address })), expected, `${lines}`);
  }
});

test('tokens: every algorithm with its own kind of key, and with no other', async () => {
  const tokens = policy([jwt]);
  const own = [
    ['rsa', 'RS256'],
    ['rsa', 'RS384'],
    ['rsa', 'RS512'],
    ['rsa', 'PS256'],
    ['rsa', 'PS384'],
    ['rsa', 'PS512'],
    ['p256', 'ES256'],
    ['p384', 'ES384'],
    ['p521', 'ES512'],
    ['ed25519', 'EdDSA'],
    ['ed25519', 'Ed25519'],
  ] as const;
  for (const [key, algorithm] of own) {
    const token = issuer.token(key, algorithm, { claims });
    assert.equal(await outcome(tokens, request([bearer(token)])), asToken, algorithm);
    const unnamed = issuer.token(key, algorithm, { claims, header: { kid: undefined } });
    assert.equal(await outcome(tokens, request([bearer(unnamed)])), asToken, `${algorithm} no kid`);
  }
  for (const [key, algorithm, kid] of [
    ['p256', 'ES384', 'p256'],
    ['p384', 'ES256', 'p384'],
    ['p384', 'ES384', 'p256'],
    ['p256', 'ES256', 'rsa'],
    ['rsa', 'RS256', 'p256'],
    ['rsa', 'RS256', 'nowhere'],
    ['ed25519', 'EdDSA', 'rsa'],
  ] as const) {
    const token = issuer.token(key, algorithm, { claims, header: { kid } });
    assert.equal(await outcome(tokens, request([bearer(token)])), refused, `${algorithm} ${kid}`);
  }
  const mislabelled = issuer.token('rsa', 'RS256', { claims, header: { alg: 'PS256' } });
  assert.equal(await outcome(tokens, request([bearer(mislabelled)])), refused);
});

test('tokens: what is broken or forged is refused', async () => {
  const tokens = policy([jwt]);
  const good = issuer.token('p256', 'ES256', { claims });
  const [head = '', body = '', signature = ''] = good.split('.');
  const foreign = new Issuer().token('p256', 'ES256', { claims });
  const none = encode({ alg: 'none' });
  const signed = (header: object): string => issuer.token('p256', 'ES256', { claims, header });
  for (const token of [
    ...['', '.', '..', '...', 'x', 'a.b.c', `${good}.`, `.${good}`, `${good}.${signature}`],
    ...[`${head}.${body}`, `${head}.${body}.`, `${head}..${signature}`, `${good} x`],
    ...[`${good}=`, good.replaceAll('.', '%2E'), ` .${body}.`, `"${good}"`],
    `${none}.${body}.`,
    `${none}.${body}.${signature}`,
    ...['NONE', 'None', '', 'HS256', 'RS257', 'ES256K', 'es256', null, 256, ['ES256'], {}].map(
      (alg) => signed({ alg }),
    ),
    issuer.confusedToken(),
    foreign,
    issuer.token('p256', 'ES256', { claims, header: { crit: ['exp'] } }),
    issuer.token('p256', 'ES256', { claims, header: { b64: false, crit: ['b64'] } }),
    signed({ kid: 5 }),
    // A key that the token brings itself proves nothing.
    new Issuer().token('rsa', 'RS256', { claims, header: { kid: 'own', jwk: issuer.jwk('rsa') } }),
    `${head}.${encode({ ...claims, sub: 'root' })}.${signature}`,
    `${head}.${body}.${signature.slice(0, -2)}`,
    `${head}.${body}.${'A'.repeat(86)}`,
    `${head}.${Buffer.from('[]').toString('base64url')}.${signature}`,
    `${head}.${Buffer.from('\xff').toString('base64url')}.${signature}`,
    issuer.token('p256', 'ES256', { claims: { ...claims, padding: 'x'.repeat(20_000) } }),
  ]) {
    assert.equal(await outcome(tokens, request([bearer(token)])), refused, token.slice(0, 200));
  }
  assert.equal(await outcome(tokens, request([bearer(good), bearer(good)])), '400 BadRequest');
  assert.equal(await outcome(tokens, request([bearer(good)])), asToken);
});

test('tokens: claims decide, with the leeway that clocks need', async () => {
  const tokens = policy([jwt]);
  const forbidden = '403 Forbidden';
  for (const [change, expected] of [
    [{}, asToken],
    [{ iss: `${issuerName}/` }, refused],
    [{ iss: undefined }, refused],
    [{ iss: [issuerName] }, refused],
    [{ aud: ['x', 'billing'] }, asToken],
    [{ aud: 'other' }, refused],
    [{ aud: [] }, refused],
    [{ aud: undefined }, refused],
    [{ aud: { orders: true } }, refused],
    [{ aud: 'orders billing' }, refused],
    [{ exp: nowSeconds - 4 }, asToken],
    [{ exp: nowSeconds - 5 }, refused],
    [{ exp: undefined }, refused],
    [{ exp: `${nowSeconds + 60}` }, refused],
    [{ exp: null }, refused],
    [{ nbf: nowSeconds + 5 }, asToken],
    [{ nbf: nowSeconds + 6 }, refused],
    [{ nbf: 'tomorrow' }, refused],
    [{ scope: 'write' }, forbidden],
    [{ scope: 'readonly' }, forbidden],
    [{ scope: undefined }, forbidden],
    [{ scope: undefined, scp: ['read'] }, asToken],
    [{ scope: undefined, scp: 'write read' }, asToken],
    [{ realm: { roles: ['guest'] } }, forbidden],
    [{ realm: { roles: 'chief' } }, asToken.replace('guest,clerk', 'chief')],
    [{ realm: 'clerk' }, forbidden],
    [{ realm: undefined, 'realm.roles': ['clerk'] }, asToken.replace('guest,', '')],
    [{ sub: undefined }, asToken.replace(' X-Fnlet-Consumer=ann', '')],
    [{ sub: 'a\r\nX-Evil: 1' }, asToken.replace('=ann', '=a%0D%0AX-Evil: 1')],
    [{ sub: 'ünï %' }, asToken.replace('=ann', '=%C3%BCn%C3%AF %25')],
    [{ realm: { roles: ['clerk', 'a,b'] } }, asToken.replace('guest,clerk', 'clerk,a%2Cb')],
  ] as const) {
    const token = issuer.token('p256', 'ES256', { claims: { ...claims, ...change } });
    assert.equal(await outcome(tokens, request([bearer(token)])), expected, JSON.stringify(change));
  }
});

test('any of several ways suffices, and wrong credentials are never nobody', async () => {
  const all = policy([apiKey, basic, jwt]);
  const open = policy([apiKey, basic, jwt], true);
  const token = issuer.token('p256', 'ES256', { claims });
  const poor = issuer.token('p256', 'ES256', { claims: { ...claims, scope: '' } });
  for (const [lines, expected, whenOpen] of [
    [[], refused, '200 X-Fnlet-Auth=anonymous'],
    [['X-Api-Key: shop-key'], asShop, asShop],
    [[basicOf('ann:secret')], asAnn, asAnn],
    [[bearer(token)], asToken, asToken],
    [['X-Api-Key: wrong', bearer(token)], asToken, asToken],
    [['X-Api-Key: wrong', basicOf('ann:secret')], asAnn, asAnn],
    [['X-Api-Key: shop-key', bearer('broken')], asShop, asShop],
    [['X-Api-Key: wrong'], refused, refused],
    [[bearer('broken')], refused, refused],
    [['Authorization: Bearer'], refused, refused],
    [['Authorization: Basic'], refused, refused],
    [['X-Api-Key: wrong', bearer(poor)], '403 Forbidden', '403 Forbidden'],
    // A scheme that nobody here knows is no credential of ours.
    [['Authorization: Negotiate abc'], refused, '200 X-Fnlet-Auth=anonymous'],
  ] as const) {
    assert.equal(await outcome(all, request(lines)), expected, `${lines}`);
    assert.equal(await outcome(open, request(lines)), whenOpen, `open: ${lines}`);
  }
});

test('a token that was let in is looked at again each time, and its key, too', async () => {
  const clock = new VirtualClock(nowSeconds * 1000);
  const rotating = new Issuer();
  let keys = rotating.keySet;
  const fetchJson = async (url: string): Promise<unknown> =>
    url.endsWith('/keys') ? keys : rotating.fetchJson(url);
  const made = new RoutePolicies({ clock, logger: silentLogger, fetchJson });
  const settings = { methods: [jwt], anonymous: false, forwardCredentials: false };
  const tokens = made.make('t', { auth: settings });
  const long = { ...claims, exp: nowSeconds + 3600 };
  const lasting = request([bearer(rotating.token('p256', 'ES256', { claims: long }))]);
  const short = request([bearer(rotating.token('p256', 'ES256', { claims }))]);
  for (let i = 0; i < 2; i++) {
    assert.equal(await outcome(tokens, short), asToken);
    assert.equal(await outcome(tokens, lasting), asToken);
  }
  await clock.advance(66_000);
  assert.equal(await outcome(tokens, short), refused);
  assert.equal(await outcome(tokens, lasting), asToken);
  keys = { keys: [rotating.jwk('rsa')] };
  await clock.advance(600_000);
  // The old keys serve once more, while the new ones are fetched.
  assert.equal(await outcome(tokens, lasting), asToken);
  await clock.advance(0);
  assert.equal(await outcome(tokens, lasting), refused);
});

test('a refusal says which credentials are asked for, and what a token lacks', async () => {
  const all = policy([apiKey, basic, jwt]);
  const asked = async (lines: readonly string[]): Promise<readonly string[]> => {
    const verdict = await all.admit(request(lines));
    assert.equal(verdict.kind, 'refusal');
    const fields = verdict.kind === 'refusal' ? (verdict.answer.fields ?? []) : [];
    return fields.map(([name, value]) => `${name}: ${value}`);
  };
  assert.deepEqual(await asked([]), [
    'WWW-Authenticate: ApiKey realm="api", header="X-Api-Key"',
    'WWW-Authenticate: Basic realm="the \\"shop\\"", charset="UTF-8"',
    'WWW-Authenticate: Bearer realm="api"',
  ]);
  assert.equal(
    (await asked([bearer('x')])).at(-1),
    'WWW-Authenticate: Bearer realm="api", error="invalid_token"',
  );
  const poor = issuer.token('p256', 'ES256', { claims: { ...claims, scope: '' } });
  assert.deepEqual(await asked([bearer(poor)]), [
    'WWW-Authenticate: Bearer realm="api", error="insufficient_scope", scope="read"',
  ]);
});

test('who guesses passwords is soon refused unheard, others are not', async () => {
  const users = policy([basic]);
  const guess = (address: string, password: string): Promise<string> =>
    outcome(users, request([basicOf(`ann:${password}`)], { address }));
  for (let i = 0; i < 10; i++) assert.equal(await guess('2001:db8::1', `${i}`), refused);
  assert.equal(await guess('2001:db8::1', 'x'), '429 TooManyFailures');
  assert.equal(await guess('2001:db8::2', 'secret'), '429 TooManyFailures');
  assert.equal(await guess('2001:db8:1::1', 'secret'), asAnn);
  // Once right they are remembered, for whoever has them.
  assert.equal(await guess('2001:db8::1', 'secret'), asAnn);
});

test('credentials go no further than the Gateway, unless they are to', async () => {
  const made = policies();
  const settings = (forwardCredentials: boolean): RoutePolicySettings => ({
    auth: { methods: [apiKey, basic], anonymous: false, forwardCredentials },
  });
  for (const [forwardCredentials, hidden, parameters] of [
    [false, ['authorization', 'x-api-key', 'x-fnlet-auth', 'x-fnlet-consumer'], ['key']],
    [true, ['x-fnlet-auth', 'x-fnlet-consumer'], undefined],
  ] as const) {
    const one = made.make('t', settings(forwardCredentials));
    const verdict = await one.admit(request(['X-Api-Key: shop-key']));
    assert.equal(verdict.kind, 'pass');
    if (verdict.kind !== 'pass') return;
    assert.deepEqual([...(verdict.forward?.remove ?? [])].sort(), hidden);
    assert.deepEqual(verdict.withoutParameters, parameters);
  }
});

test('the fields that claims are forwarded in can be set by nobody else', async () => {
  const verdict = await policy([jwt], true).admit(request([]));
  assert.equal(verdict.kind, 'pass');
  if (verdict.kind !== 'pass') return;
  const remove = verdict.forward?.remove;
  assert.ok(remove?.has('x-user-email') === true && remove.has('x-user-roles'));
  assert.deepEqual(answerFields(verdict), {});
});
