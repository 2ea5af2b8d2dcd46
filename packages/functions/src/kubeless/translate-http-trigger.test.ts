import assert from 'node:assert/strict';
import { it } from 'node:test';
import { httpTriggerCrd } from '@fnlet/api/kubeless';
import fc from 'fast-check';
import { objectsOf } from '../../test/values-of-schema.ts';
import { translateHttpTrigger } from './translate-http-trigger.ts';

function triggerOf(spec: object, metadata: object = {}) {
  return {
    apiVersion: 'kubeless.io/v1beta1',
    kind: 'HTTPTrigger',
    metadata: { name: 'door', namespace: 'shop', ...metadata },
    spec: { 'function-name': 'hello', ...spec },
  };
}

const basic = { anyOf: [{ basic: { secret: 'users' } }] };

const rows: readonly (readonly [string, object, object])[] = [
  ['everything', {}, {}],
  ['a host', { 'host-name': 'Shop.example.com' }, { hosts: ['shop.example.com'] }],
  ['a path, passed on', { path: 'a/b', gateway: 'traefik' }, { paths: [{ prefix: '/a/b' }] }],
  [
    'a path that nginx took off',
    { path: '/a/', gateway: 'nginx' },
    { paths: [{ prefix: '/a' }], rewrite: { path: '/' } },
  ],
  ['the root', { path: '/', gateway: 'nginx' }, {}],
  [
    'a host with a certificate',
    { 'host-name': 'a.example.com', 'tls-secret': 'cert' },
    { hosts: ['a.example.com'], tls: { secretName: 'cert' } },
  ],
  ['passwords', { 'basic-auth-secret': 'users' }, { auth: basic }],
  ['pages of others', { 'cors-enable': true }, { cors: { origins: ['*'], maxAge: '480h' } }],
  [
    'what was left empty',
    { 'host-name': '', path: '', 'basic-auth-secret': '', 'tls-secret': '', gateway: '' },
    {},
  ],
];

for (const [name, spec, http] of rows) {
  it(`translateHttpTrigger() opens ${name}`, () => {
    const translation = translateHttpTrigger(triggerOf(spec));
    assert.ok(translation.kind === 'translated');
    assert.deepEqual(translation.notices, []);
    const { metadata, spec: wanted } = translation.trigger;
    assert.deepEqual(metadata, {
      ...{ name: 'door', namespace: 'shop', labels: { 'created-by': 'kubeless' } },
    });
    assert.deepEqual(wanted, { source: { http }, target: { function: 'hello' } });
  });
}

it('translateHttpTrigger() says what has no effect', () => {
  const annotations = { 'nginx.x/y': 'z', 'kubectl.kubernetes.io/last-applied-configuration': '' };
  const translation = translateHttpTrigger(triggerOf({ 'tls-secret': 'cert' }, { annotations }));
  assert.ok(translation.kind === 'translated');
  assert.deepEqual(translation.trigger.spec.source, { http: {} });
  assert.deepEqual(
    translation.notices.map((notice) => notice.split(' has no effect')[0]),
    ['tls-secret', 'annotation nginx.x/y'],
  );
  const acme = translateHttpTrigger(triggerOf({ tls: true }));
  assert.ok(acme.kind === 'translated');
  assert.match(acme.notices[0] ?? '', /^tls gets no certificate from an authority/);
});

it('translateHttpTrigger() refuses what no Trigger can be', () => {
  for (const spec of [
    { 'host-name': 'a host' },
    { 'host-name': 'hello.shop.svc.cluster.local' },
    { path: 'a?b' },
    { tls: true, 'tls-secret': 'cert' },
    { path: '..' },
    { 'basic-auth-secret': 'No Secret' },
  ]) {
    const translation = translateHttpTrigger(triggerOf(spec));
    assert.equal(translation.kind, 'refused', JSON.stringify(spec));
    assert.ok(translation.kind === 'refused' && translation.reasons.length > 0);
  }
});

const texts = fc.oneof(
  fc.constantFrom('a', '/a', '/a/b/', '..', 'A.example.com', '*.a', 'nginx', 'kong', '{a}', '%2F'),
  fc.string(),
);

it('translateHttpTrigger() has an answer to whatever the kind lets pass', () => {
  const schema = httpTriggerCrd.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.spec;
  fc.assert(
    fc.property(objectsOf(schema ?? {}, { texts, quantities: texts }), (spec) => {
      const translation = translateHttpTrigger(Object({ ...triggerOf({}), spec }));
      if (translation.kind === 'refused') assert.ok(translation.reasons.length > 0);
    }),
  );
});
