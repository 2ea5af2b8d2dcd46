// What the API says about demands of Triggers that are wrong, and that it takes those that are right.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { triggerType } from '@fnlet/api';
import { resourcePath } from '@fnlet/machinery';
import { namespace, World } from './world.ts';

let world: World;

before(async () => {
  world = await World.start();
});

after(() => world[Symbol.asyncDispose]());

async function post(http: object): Promise<{ readonly status: number; readonly message: string }> {
  const answer = await world.cluster.client.transport.request({
    method: 'POST',
    path: resourcePath(triggerType, { namespace }),
    body: {
      apiVersion: 'fnlet.dev/v1alpha1',
      kind: 'Trigger',
      metadata: { generateName: 'tried-' },
      spec: { source: { http }, target: { function: 'hello' } },
    },
  });
  return { status: answer.status, message: Object(await answer.json()).message };
}

const auth = (...anyOf: object[]): object => ({ auth: { anyOf } });
const jwt = { issuer: 'https://issuer.example', audiences: ['orders'] };
const rate = { name: 'few', requests: 5, period: '1m' };
const rates = (...given: object[]): object => ({ limits: { rates: given } });

const refused: readonly [string, object, RegExp][] = [
  ['no way to prove anything', auth(), /anyOf/],
  ['two ways in one', auth({ basic: { secret: 'a' }, jwt }), /exactly one of apiKey, basic, jwt/],
  ['no way at all', auth({}), /exactly one of apiKey, basic, jwt/],
  ['keys without a Secret', auth({ apiKey: {} }), /apiKey\.secret: Required/],
  ['tokens for anybody', auth({ jwt: { issuer: jwt.issuer } }), /audiences: Required/],
  ['tokens for nobody', auth({ jwt: { ...jwt, audiences: [] } }), /audiences/],
  ['an issuer that is no URL', auth({ jwt: { ...jwt, issuer: 'me' } }), /issuer/],
  ['a password in a URL', auth({ jwt: { ...jwt, keysUrl: 'https://a:b@c/' } }), /keysUrl/],
  ['unsigned tokens', auth({ jwt: { ...jwt, algorithms: ['none'] } }), /algorithms/],
  ['a shared secret', auth({ jwt: { ...jwt, algorithms: ['HS256'] } }), /algorithms/],
  ['a scope with quotes', auth({ jwt: { ...jwt, scopes: ['a"b'] } }), /a scope must be one word/],
  ['a scope of two words', auth({ jwt: { ...jwt, scopes: ['a b'] } }), /a scope must be one word/],
  ...['Host', 'content-length', 'Transfer-Encoding', 'X-Fnlet-Consumer', 'x-forwarded-for'].map(
    (header): [string, object, RegExp] => [
      `a claim as ${header}`,
      auth({ jwt: { ...jwt, forward: [{ claim: 'sub', header }] } }),
      /choose a name of your own/,
    ],
  ),
  ['a header with a break', auth({ apiKey: { secret: 'a', header: 'X\r\nY' } }), /header/],
  ['an address that is none', { addresses: { allow: ['10.0.0.0/33'] } }, /IP address or a CIDR/],
  ['a name as address', { addresses: { deny: ['localhost'] } }, /IP address or a CIDR/],
  ['a rate without period', rates({ name: 'few', requests: 5 }), /period: Required/],
  ['no requests', rates({ ...rate, requests: 0 }), /requests/],
  ['a header without name', rates({ ...rate, per: 'header' }), /give a key where per is header/],
  ['a key for a client', rates({ ...rate, key: 'X' }), /give a key where per is header/],
  ['two rates of one name', rates(rate, rate), /Duplicate/],
  ['a body of nonsense', { limits: { body: '1Gb' } }, /limits\.body/],
  [
    'credentials from anywhere',
    { cors: { origins: ['*'], credentials: true } },
    /name the origins/,
  ],
  ['an origin with a path', { cors: { origins: ['https://a.b/c'] } }, /origins/],
  ['a wildcard in the middle', { cors: { origins: ['https://a.*.b'] } }, /origins/],
  ['no origin', { cors: { methods: ['GET'] } }, /origins: Required/],
];

for (const [what, http, message] of refused) {
  test(`refuses ${what}`, async () => {
    const answer = await post(http);
    assert.equal(answer.status, 422, answer.message);
    assert.match(answer.message, message);
  });
}

const taken: readonly [string, object][] = [
  ['keys', auth({ apiKey: { secret: 'a', header: 'Authorization', query: 'api_key' } })],
  ['users', { auth: { anyOf: [{ basic: { secret: 'a' } }], anonymous: true } }],
  [
    'tokens',
    auth({
      jwt: {
        ...jwt,
        scopes: ['read', 'https://a.b/c.readonly'],
        algorithms: ['ES256', 'EdDSA'],
        claims: [{ claim: 'realm.roles', values: ['clerk'] }],
        forward: [{ claim: 'email', header: 'X-User-Email' }],
        leeway: '0',
      },
    }),
  ],
  [
    'addresses',
    { addresses: { allow: ['10.0.0.0/8', '::1', '2001:db8::/32'], deny: ['1.2.3.4'] } },
  ],
  [
    'limits',
    { limits: { body: '1Mi', header: 8192, rates: [{ ...rate, per: 'route', burst: 9 }] } },
  ],
  ['limits by header', rates({ ...rate, per: 'header', key: 'X-Tenant' })],
  ['pages', { cors: { origins: ['https://*.a.b:8443', 'null-scheme://x'], maxAge: '10m' } }],
];

for (const [what, http] of taken) {
  test(`takes ${what}`, async () => {
    const answer = await post(http);
    assert.equal(answer.status, 201, answer.message);
  });
}
