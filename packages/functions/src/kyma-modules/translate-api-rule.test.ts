import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpSource } from '@fnlet/api';
import { type ApiRuleTranslation, translateApiRule } from './translate-api-rule.ts';

type Translated = Extract<ApiRuleTranslation, { readonly kind: 'translated' }>;

const service = { name: 'shop', namespace: 'default', port: 80 };
const open = { path: '/*', methods: ['GET', 'POST'], noAuth: true };

function translate(spec: object, version = 'v2'): ApiRuleTranslation {
  return translateApiRule({
    apiVersion: `gateway.kyma-project.io/${version}`,
    kind: 'APIRule',
    metadata: { name: 'shop', namespace: 'default' },
    spec: { gateway: 'kyma-system/kyma-gateway', service, ...spec },
  });
}

function translated(spec: object, version?: string): Translated {
  const translation = translate(spec, version);
  assert.ok(translation.kind === 'translated', JSON.stringify(translation));
  return translation;
}

function sourceOf(rule: object, more: object = {}): HttpSource {
  const { triggers } = translated({ hosts: ['shop.example.com'], rules: [rule], ...more });
  return triggers[0]?.spec.source.http ?? {};
}

test('translateApiRule() opens a path of a host for a Function', () => {
  const { triggers, notices } = translated({ hosts: ['shop.example.com'], rules: [open] });
  assert.deepEqual(triggers, [
    {
      apiVersion: 'fnlet.dev/v1alpha1',
      kind: 'Trigger',
      metadata: { name: 'shop', namespace: 'default' },
      spec: {
        source: {
          http: { hosts: ['shop.example.com'], paths: [{ prefix: '/' }], methods: ['GET', 'POST'] },
        },
        target: { function: 'shop' },
      },
    },
  ]);
  assert.deepEqual(notices, []);
});

test('translateApiRule() gives a short host the domains that lead to this machine', () => {
  const { triggers } = translated({ hosts: ['incoming'], rules: [open] });
  assert.deepEqual(triggers[0]?.spec.source.http?.hosts, [
    'incoming',
    'incoming.localhost',
    'incoming.local.kyma.dev',
  ]);
});

test('translateApiRule() makes a Trigger of each rule, with a Service of its own', () => {
  const other = { ...open, path: '/other', service: { ...service, name: 'other' } };
  const { triggers } = translated({ hosts: ['shop.example.com'], rules: [open, other] });
  assert.deepEqual(
    triggers.map(({ metadata, spec }) => [metadata.name, spec.target.function]),
    [
      ['shop', 'shop'],
      ['shop-2', 'other'],
    ],
  );
});

const issuer = { issuer: 'https://issuer.example.com', jwksUri: 'https://issuer.example.com/keys' };

test('translateApiRule() lets tokens in, by each issuer with each authorization', () => {
  const jwt = {
    authentications: [issuer, { ...issuer, issuer: 'https://other.example.com' }],
    authorizations: [
      { requiredScopes: ['read', 'write'], audiences: ['shop'] },
      { audiences: ['shop', 'admin'] },
    ],
  };
  const { auth } = sourceOf({ path: '/*', methods: ['GET'], jwt });
  assert.equal(auth?.anyOf.length, 4);
  assert.deepEqual(auth.anyOf[0], {
    jwt: {
      issuer: issuer.issuer,
      keysUrl: issuer.jwksUri,
      audiences: ['shop'],
      scopes: ['read', 'write'],
    },
  });
  assert.deepEqual(auth.anyOf[1]?.jwt?.claims, [{ claim: 'aud', values: ['admin'] }]);
});

test('translateApiRule() reads tokens from a header', () => {
  const headerOf = (fromHeaders: object[]): unknown => {
    const jwt = {
      authentications: [{ ...issuer, fromHeaders }],
      authorizations: [{ audiences: ['shop'] }],
    };
    return sourceOf({ path: '/*', methods: ['GET'], jwt }).auth?.anyOf[0]?.jwt?.header;
  };
  assert.equal(headerOf([{ name: 'X-Token' }]), 'X-Token');
  assert.equal(headerOf([{ name: 'Authorization', prefix: 'Bearer ' }]), undefined);
});

test('translateApiRule() says which pages may call', () => {
  const corsPolicy = {
    allowOrigins: [{ exact: 'https://app.example.com' }, { regex: '.*' }],
    ...{ allowMethods: ['GET'], allowHeaders: ['X-A'], exposeHeaders: ['X-B'] },
    ...{ allowCredentials: true, maxAge: 300 },
  };
  const { triggers, notices } = translated({ hosts: ['a.example'], rules: [open], corsPolicy });
  assert.deepEqual(triggers[0]?.spec.source.http?.cors, {
    ...{ origins: ['https://app.example.com'], methods: ['GET'], headers: ['X-A'] },
    ...{ exposedHeaders: ['X-B'], credentials: true, maxAge: '300s' },
  });
  assert.match(notices.join(), /regex has no counterpart/);
  assert.equal(sourceOf(open).cors, undefined);
});

test('translateApiRule() reads v1beta1, with what holds there when nothing is said', () => {
  const rule = { path: '/.*', methods: ['GET'], accessStrategies: [{ handler: 'no_auth' }] };
  const { triggers } = translated({ host: 'shop.example.com', rules: [rule] }, 'v1beta1');
  const { auth, cors, paths } = triggers[0]?.spec.source.http ?? {};
  assert.deepEqual([auth, cors?.origins, paths], [undefined, ['*'], [{ prefix: '/' }]]);
  const config = { authentications: [issuer], authorizations: [{ audiences: ['shop'] }] };
  const guarded = { ...rule, accessStrategies: [{ handler: 'jwt', config }] };
  const own = translated({ host: 'shop.example.com', rules: [guarded] }, 'v1beta1');
  assert.equal(own.triggers[0]?.spec.source.http?.auth?.anyOf.length, 1);
});

const jwtOnly = { path: '/*', methods: ['GET'] };
const refused: readonly [string, object, RegExp][] = [
  ['no rules', { rules: [] }, /spec[.]rules: found none/],
  ['no host', { hosts: [], rules: [open] }, /spec[.]hosts: found none/],
  ['no Service', { service: undefined, rules: [open] }, /found no name/],
  [
    'a Service elsewhere',
    { service: { ...service, namespace: 'other' }, rules: [open] },
    /that of/,
  ],
  ['nobody said to be let in', { rules: [jwtOnly] }, /One of the following fields must be set/],
  ['two ways at once', { rules: [{ ...open, jwt: {} }] }, /One of the following fields/],
  ['an authorizer outside', { rules: [{ ...jwtOnly, extAuth: {} }] }, /no authorizer outside/],
  [
    'tokens for anybody',
    { rules: [{ ...jwtOnly, jwt: { authentications: [issuer] } }] },
    /found no audiences/,
  ],
  ['no issuers', { rules: [{ ...jwtOnly, jwt: {} }] }, /authentications: found none/],
  [
    'tokens in addresses',
    { rules: [{ ...jwtOnly, jwt: { authentications: [{ ...issuer, fromParams: ['t'] }] } }] },
    /every log/,
  ],
  ['methods that no function has', { rules: [{ ...open, methods: ['TRACE'] }] }, /found none/],
  ['a path that is none', { rules: [{ ...open, path: '/a/{**}/b' }] }, /no path of a Trigger/],
  ['a host that is none', { hosts: ['a b'], rules: [open] }, /host must be like/],
];
for (const [title, spec, reason] of refused) {
  test(`translateApiRule() refuses ${title}`, () => {
    const translation = translate({ hosts: ['shop.example.com'], ...spec });
    assert.ok(translation.kind === 'refused');
    assert.match(translation.reasons.join('\n'), reason);
  });
}

test('translateApiRule() refuses handlers and mutators of v1beta1 that nobody is here for', () => {
  const rule = { path: '/.*', methods: ['GET'] };
  for (const more of [
    { accessStrategies: [{ handler: 'oauth2_introspection' }] },
    { accessStrategies: [{ handler: 'allow' }], mutators: [{ handler: 'header' }] },
    { accessStrategies: [] },
  ]) {
    const spec = { host: 'shop.example.com', rules: [{ ...rule, ...more }] };
    assert.equal(translate(spec, 'v1beta1').kind, 'refused');
  }
});
