import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HttpSource, parseTrigger, type TriggerObject } from '@fnlet/api';
import { parseParentReference, planHttpRoute } from './plan-http-route.ts';
import { planIngress } from './plan-ingress.ts';
import { planRouteBackend } from './plan-route-backend.ts';
import { matchesOf } from './route-match.ts';
import { resolveRouteSettings } from './route-settings.ts';

function trigger(http: HttpSource | undefined): TriggerObject {
  return parseTrigger({
    apiVersion: 'fnlet.dev/v1alpha1',
    kind: 'Trigger',
    metadata: { name: 'shop', namespace: 'default', uid: 'u1' },
    spec: {
      source: http === undefined ? { broker: { name: 'b', from: 'newest' } } : { http },
      target: { function: 'orders' },
    },
  });
}

const backend = { service: 'fnlet-gateway', port: 80 };
const nginx = { className: 'nginx', annotations: {}, ...backend };

const matches: readonly (readonly [what: string, http: HttpSource, expected: readonly string[]])[] =
  [
    ['no paths are all', {}, ['Prefix /']],
    [
      'exact and prefix',
      { paths: [{ exact: '/a' }, { prefix: '/b/' }] },
      ['Exact /a', 'Prefix /b/'],
    ],
    [
      'a parameter is what stands before it',
      { paths: [{ pattern: '/users/{id}/files' }] },
      ['Prefix /users'],
    ],
    ['a first parameter is all', { paths: [{ pattern: '/{all...}' }] }, ['Prefix /']],
    ['a pattern without parameters', { paths: [{ pattern: '/a/b' }] }, ['Exact /a/b']],
    ['each once', { paths: [{ pattern: '/a/{b}' }, { prefix: '/a' }] }, ['Prefix /a']],
    ['what the kinds do not take', { paths: [{ exact: '/a/ä/b' }] }, ['Prefix /a']],
    ['percent-encoded', { paths: [{ exact: '/a/%C3%A4' }] }, ['Exact /a/%C3%A4']],
    ['half a percent sign', { paths: [{ prefix: '/100%' }] }, ['Prefix /']],
  ];

for (const [what, http, expected] of matches) {
  test(`matchesOf(): ${what}`, () => {
    assert.deepEqual(
      matchesOf(http).map(({ type, path }) => `${type} ${path}`),
      expected,
    );
  });
}

test('planIngress() maps hosts, paths and the certificate, with the class and annotations', () => {
  const http: HttpSource = {
    hosts: ['shop.example.com', '*.example.org'],
    paths: [{ prefix: '/api' }],
    tls: { secretName: 'shop-tls' },
  };
  const annotations = { 'cert-manager.io/cluster-issuer': 'ours' };
  const ingress = planIngress(trigger(http), { ...nginx, annotations });
  assert.ok(ingress);
  assert.deepEqual(ingress.metadata, {
    name: 'shop-route',
    namespace: 'default',
    labels: { 'app.kubernetes.io/managed-by': 'fnlet', 'fnlet.dev/route': 'shop' },
    annotations,
  });
  const service = { service: { name: 'fnlet-gateway', port: { number: 80 } } };
  const paths = [{ path: '/api', pathType: 'Prefix', backend: service }];
  assert.deepEqual(ingress.spec, {
    ingressClassName: 'nginx',
    tls: [{ hosts: ['shop.example.com', '*.example.org'], secretName: 'shop-tls' }],
    rules: [
      { host: 'shop.example.com', http: { paths } },
      { host: '*.example.org', http: { paths } },
    ],
  });
});

test('a Trigger without hosts is for all of them; one of another source has no route', () => {
  const ingress = planIngress(trigger({}), nginx);
  assert.match(JSON.stringify(ingress?.spec), /"rules":\[\{"http"/);
  const parent = { namespace: 'edge', name: 'public' };
  assert.deepEqual(planHttpRoute(trigger({}), { parent, ...backend })?.spec, {
    parentRefs: [{ namespace: 'edge', name: 'public' }],
    rules: [
      {
        matches: [{ path: { type: 'PathPrefix', value: '/' } }],
        backendRefs: [{ name: 'fnlet-gateway', port: 80 }],
      },
    ],
  });
  assert.equal(planIngress(trigger(undefined), nginx), undefined);
  assert.equal(planHttpRoute(trigger(undefined), { parent, ...backend }), undefined);
});

test('planHttpRoute() maps hosts and paths', () => {
  const parent = { namespace: 'edge', name: 'public', sectionName: 'https' };
  const http: HttpSource = { hosts: ['a.example'], paths: [{ exact: '/x' }] };
  assert.deepEqual(planHttpRoute(trigger(http), { parent, ...backend })?.spec, {
    parentRefs: [parent],
    hostnames: ['a.example'],
    rules: [
      {
        matches: [{ path: { type: 'Exact', value: '/x' } }],
        backendRefs: [{ name: 'fnlet-gateway', port: 80 }],
      },
    ],
  });
});

test('planRouteBackend() is a Service without selector and a slice of each address family', () => {
  const slice = (addressType: string, address: string, ready: boolean) => ({
    ...{ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', addressType },
    metadata: { name: `${addressType}-${address}` },
    endpoints: [{ addresses: [address], conditions: { ready }, nodeName: 'n1', zone: 'z1' }],
    ports: [
      { name: 'inside', port: 8081 },
      { name: 'http', port: 8080 },
    ],
  });
  const [service, ...slices] = planRouteBackend('shop', [
    slice('IPv6', 'fd00::1', true),
    slice('IPv4', '10.0.0.2', false),
    slice('IPv4', '10.0.0.1', true),
  ]);
  assert.doesNotMatch(JSON.stringify(service?.spec), /selector/);
  assert.deepEqual(
    slices.map(({ metadata, addressType, endpoints, ports }) => ({
      ...{ name: metadata.name, addressType, endpoints, ports },
    })),
    [
      {
        name: 'fnlet-gateway-ipv4',
        addressType: 'IPv4',
        endpoints: [
          { addresses: ['10.0.0.1'], conditions: { ready: true }, zone: 'z1' },
          { addresses: ['10.0.0.2'], conditions: { ready: false }, zone: 'z1' },
        ],
        ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
      },
      {
        name: 'fnlet-gateway-ipv6',
        addressType: 'IPv6',
        endpoints: [{ addresses: ['fd00::1'], conditions: { ready: true }, zone: 'z1' }],
        ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
      },
    ],
  );
});

test('settings are read, or refused with what was expected', () => {
  const none = { ingressClass: 'none', ingressAnnotations: 'none', httpRouteParent: 'none' };
  assert.deepEqual(resolveRouteSettings(none), { ingress: undefined, parent: undefined });
  const ingressAnnotations = 'a.example/b=c=d\n\n x=y \n';
  assert.deepEqual(
    resolveRouteSettings({
      ...{ ingressClass: 'nginx', ingressAnnotations, httpRouteParent: 'edge/public/https' },
    }),
    {
      ingress: { className: 'nginx', annotations: { 'a.example/b': 'c=d', x: 'y' } },
      parent: { namespace: 'edge', name: 'public', sectionName: 'https' },
    },
  );
  const wrong = { ...none, ingressClass: 'nginx', ingressAnnotations: 'no value' };
  assert.throws(() => resolveRouteSettings(wrong), { code: 'InvalidConfig' });
  for (const text of ['public', 'a/b/c/d', '/b', 'a/B', 'a/']) {
    assert.throws(() => parseParentReference(text), { code: 'InvalidConfig' }, text);
  }
});
