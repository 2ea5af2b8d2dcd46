import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { silentLogger, VirtualClock } from '@fnlet/base';
import {
  type AuthMethodSettings,
  RoutePolicies,
  type RoutePolicySettings,
} from '../../src/policies.ts';
import { Issuer, issuerName, nowSeconds } from './issuer.ts';
import { answerFields, outcome, type RequestOptions, request } from './request.ts';

const clock = new VirtualClock(nowSeconds * 1000);
const issuer = new Issuer();
const policies = new RoutePolicies({ clock, logger: silentLogger, fetchJson: issuer.fetchJson });

const apiKey: AuthMethodSettings = {
  kind: 'apiKey',
  header: 'X-Api-Key',
  consumers: new Map(
    ['shop', 'till'].map((name) => [name, [createHash('sha256').update(name).digest('hex')]]),
  ),
};
const jwt: AuthMethodSettings = {
  kind: 'jwt',
  issuer: issuerName,
  audiences: ['orders'],
  leewayMs: 0,
};
const auth = (methods: readonly AuthMethodSettings[], anonymous = false) => {
  return { methods, anonymous, forwardCredentials: false };
};

/** Asks a policy for each of these requests in turn. */
async function outcomes(
  settings: RoutePolicySettings,
  asked: readonly (readonly [lines: readonly string[], options?: RequestOptions])[],
): Promise<readonly string[]> {
  policies.forget('t');
  const policy = policies.make('t', settings);
  const found: string[] = [];
  for (const [lines, options] of asked) {
    found.push((await outcome(policy, request(lines, options))).replace('X-Fnlet-', ''));
  }
  return found;
}

test('addresses: those allowed, without those denied', async () => {
  const settings = { allow: ['192.0.2.0/24', '2001:db8::/32'], deny: ['192.0.2.128/25'] };
  const from = (address: string): readonly [[], RequestOptions] => [[], { address }];
  assert.deepEqual(
    await outcomes(settings, ['192.0.2.1', '192.0.2.200', '198.51.100.1', '2001:db8::1'].map(from)),
    ['200', '403 AddressNotAllowed', '403 AddressNotAllowed', '200'],
  );
  assert.deepEqual(await outcomes({ deny: ['192.0.2.1'] }, ['192.0.2.1', '::1'].map(from)), [
    '403 AddressNotAllowed',
    '200',
  ]);
  assert.deepEqual(await outcomes({ allow: [] }, [from('127.0.0.1')]), ['403 AddressNotAllowed']);
  // Whom nobody trusts to tell it cannot say that it is somebody else.
  const spoofed = [
    'X-Forwarded-For: 192.0.2.1',
    'X-Real-IP: 192.0.2.1',
    'Forwarded: for=192.0.2.1',
  ];
  assert.deepEqual(await outcomes(settings, [[spoofed, { address: '198.51.100.1' }]]), [
    '403 AddressNotAllowed',
  ]);
});

test('a header that is larger than the route takes is refused, known fields and all', async () => {
  const settings = { headerBytesMax: 100 };
  assert.deepEqual(
    await outcomes(settings, [
      [[]],
      [[`X-Long: ${'x'.repeat(100)}`]],
      [[`X-Forwarded-For: ${'x'.repeat(100)}`]],
      [[`Te: ${'x'.repeat(40)}`, `Connection: ${'x'.repeat(50)}`]],
    ]),
    ['200', ...Array.from({ length: 3 }, () => '431 HeaderTooLarge')],
  );
});

test('limits count what they say they count', async () => {
  const limit = (per: NonNullable<RoutePolicySettings['rateLimits']>[number]['per']) => ({
    rateLimits: [{ name: 'one', requests: 1, periodMs: 60_000, burst: 1, per }],
    auth: auth([apiKey], true),
  });
  const ok = '200 Auth=anonymous';
  const no = '429 TooManyRequests';
  const a = { address: '192.0.2.1' };
  const b = { address: '192.0.2.2' };
  assert.deepEqual(
    await outcomes(limit({ kind: 'client' }), [
      [[], a],
      [[], a],
      [[], b],
    ]),
    [ok, no, ok],
  );
  assert.deepEqual(
    await outcomes(limit({ kind: 'route' }), [
      [[], a],
      [[], b],
    ]),
    [ok, no],
  );
  const tenant = limit({ kind: 'header', name: 'X-Tenant' });
  assert.deepEqual(
    await outcomes(tenant, [
      [['x-tenant: t'], a],
      [['X-Tenant: t'], b],
      [['X-Tenant: u'], a],
      [[], a],
      [['X-Tenant:'], a],
      [[`X-Tenant: ${'x'.repeat(300)}`], a],
      [[`X-Tenant: ${'y'.repeat(300)}`], b],
    ]),
    [ok, no, ok, ok, no, ok, no],
  );
  const shop = '200 Auth=apiKey X-Fnlet-Consumer=shop';
  assert.deepEqual(
    await outcomes(limit({ kind: 'consumer' }), [
      [['X-Api-Key: shop'], a],
      [['X-Api-Key: shop'], b],
      [['X-Api-Key: till'], a],
      [[], a],
      [[], a],
      [['X-Api-Key: wrong'], a],
    ]),
    [shop, no, shop.replace('shop', 'till'), ok, no, '401 Unauthenticated'],
  );
});

test('a limit per claim counts tokens by what they say', async () => {
  const per = { kind: 'claim', name: 'org' } as const;
  const rateLimits = [{ name: 'one', requests: 1, periodMs: 60_000, burst: 1, per }];
  const from = (org: string): readonly [string[]] => {
    const claims = { iss: issuerName, aud: 'orders', exp: nowSeconds + 60, org };
    return [[`Authorization: Bearer ${issuer.token('p256', 'ES256', { claims })}`]];
  };
  assert.deepEqual(
    await outcomes({ auth: auth([jwt]), rateLimits }, [from('a'), from('a'), from('b')]),
    ['200 Auth=jwt', '429 TooManyRequests', '200 Auth=jwt'],
  );
});

test('a client is told about its limits, and when it may come again', async () => {
  const rule = { requests: 60, periodMs: 60_000, per: { kind: 'client' } } as const;
  const policy = policies.make('told', {
    rateLimits: [
      { ...rule, name: 'steady', burst: 2 },
      { ...rule, name: 'daily', requests: 2, periodMs: 86_400_000, burst: 2 },
    ],
  });
  const fields = async () => answerFields(await policy.admit(request([])));
  assert.deepEqual(await fields(), {
    'RateLimit-Policy': '"steady";q=2;w=2, "daily";q=2;w=86400',
    RateLimit: '"steady";r=1;t=1, "daily";r=1;t=43200',
  });
  await fields();
  const verdict = await policy.admit(request([]));
  assert.equal(verdict.kind === 'refusal' && verdict.answer.retryAfterSeconds, 43_200);
  assert.match(answerFields(verdict).RateLimit ?? '', /"daily";r=0;t=43200/);
});

test('what a limit counted stays where the limit stays, whatever else changes', async () => {
  const per = { kind: 'client' } as const;
  const rateLimits = [{ name: 'one', requests: 1, periodMs: 60_000, burst: 1, per }];
  const ask = (settings: RoutePolicySettings): Promise<string> =>
    outcome(policies.make('stays', settings), request([]));
  assert.equal(await ask({ rateLimits }), '200');
  assert.equal(await ask({ rateLimits, deny: ['::1'] }), '429 TooManyRequests');
  assert.equal(await ask({ rateLimits: rateLimits.map((rule) => ({ ...rule, burst: 2 })) }), '200');
  assert.equal(await ask({ rateLimits }), '200');
  assert.equal(await ask({ rateLimits }), '429 TooManyRequests');
  policies.forget('stays');
  assert.equal(await ask({ rateLimits }), '200');
});

test('a preflight needs no credentials; a refusal can be read by the page', async () => {
  const origin = 'https://app.example.com';
  const per = { kind: 'client' } as const;
  const policy = policies.make('cors', {
    cors: { origins: [origin] },
    auth: auth([apiKey]),
    deny: ['192.0.2.66'],
    rateLimits: [{ name: 'one', requests: 1, periodMs: 60_000, burst: 1, per }],
  });
  const asked = ['Access-Control-Request-Method: PUT', `Origin: ${origin}`];
  assert.equal(await outcome(policy, request(asked, { method: 'OPTIONS' })), '204 Preflight');
  for (const [address, expected] of [
    ['192.0.2.1', '401 Unauthenticated'],
    ['192.0.2.1', '429 TooManyRequests'],
    ['192.0.2.66', '403 AddressNotAllowed'],
  ] as const) {
    const refused = request([`Origin: ${origin}`], { address });
    const verdict = await policy.admit(refused);
    assert.equal(verdict.kind === 'refusal' && verdict.answer.code, expected.slice(4));
    assert.equal(answerFields(verdict)['Access-Control-Allow-Origin'], origin);
  }
  const denied = request(asked, { method: 'OPTIONS', address: '192.0.2.66' });
  assert.equal(await outcome(policy, denied), '403 AddressNotAllowed');
});

test('OPTIONS that is no preflight is no way around', async () => {
  const settings = { cors: { origins: ['*'] }, auth: auth([apiKey]) };
  assert.deepEqual(
    await outcomes(settings, [
      [[], { method: 'OPTIONS' }],
      [['Origin: https://a.b'], { method: 'OPTIONS' }],
      [['Access-Control-Request-Method: GET'], { method: 'OPTIONS' }],
      [['Origin: https://a.b', 'Access-Control-Request-Method: GET'], { method: 'GET' }],
    ]),
    Array.from({ length: 4 }, () => '401 Unauthenticated'),
  );
});
