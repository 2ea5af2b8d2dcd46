import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { objectField, withFields } from '../../src/object/object-form.ts';
import { KindUnderTest } from './kind-under-test.ts';

const group = 'networking.k8s.io/v1';

describe('Ingress', () => {
  const ingresses = new KindUnderTest(group, 'ingresses');
  const path = {
    path: '/',
    pathType: 'Prefix',
    backend: { service: { name: 'svc', port: { number: 80 } } },
  };
  const good = {
    apiVersion: group,
    kind: 'Ingress',
    metadata: { name: 'i' },
    spec: { rules: [{ host: 'x.example.com', http: { paths: [path] } }] },
  };
  const p = 'spec.rules[0].http.paths[0]';
  ingresses.refuses(good, [
    ['spec', {}, 'spec: Invalid value: null: either `defaultBackend` or `rules` must be specified'],
    ['spec.rules[0].host', '*.example.com'],
    [
      'spec.rules[0].host',
      '10.0.0.1',
      'spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address',
    ],
    [
      'spec.rules[0].host',
      'a.*.b',
      "spec.rules[0].host: Invalid value: \"a.*.b\": a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
    ['spec.rules[0].http.paths', [], 'spec.rules[0].http.paths: Required value'],
    [`${p}.pathType`, undefined, `${p}.pathType: Required value: pathType must be specified`],
    [
      `${p}.pathType`,
      'Regex',
      `${p}.pathType: Unsupported value: "Regex": supported values: "Exact", "ImplementationSpecific", "Prefix"`,
    ],
    [`${p}.path`, 'x', `${p}.path: Invalid value: "x": must be an absolute path`],
    [`${p}.path`, '/a//b', `${p}.path: Invalid value: "/a//b": must not contain '//'`],
    [
      `${p}.backend`,
      {},
      `${p}.backend: Invalid value: "": resource or service backend is required`,
    ],
    [
      `${p}.backend.service`,
      { name: 'svc' },
      `${p}.backend: Required value: port name or number is required`,
    ],
    [
      `${p}.backend.service.port`,
      { name: 'http', number: 80 },
      `${p}.backend: Invalid value: "": cannot set both port name & port number`,
    ],
  ]);
  it('refuses a class by field and by annotation at once', () => {
    const metadata = { name: 'i', annotations: { 'kubernetes.io/ingress.class': 'a' } };
    const spec = { ...good.spec, ingressClassName: 'b' };
    assert.deepEqual(ingresses.refusals(ingresses.create({ ...good, metadata, spec })), [
      'annotations.kubernetes.io/ingress.class: Invalid value: "a": can not be set when the class field is also set',
    ]);
  });
  it('shows what kubectl shows', () => {
    const created = ingresses.create({ ...good, spec: { ...good.spec, tls: [{}] } });
    const status = { loadBalancer: { ingress: [{ ip: '10.0.0.1' }, { hostname: 'lb' }] } };
    assert.deepEqual(ingresses.cells(withFields(created, { status })), {
      Name: 'i',
      Class: '<none>',
      Hosts: 'x.example.com',
      Address: '10.0.0.1,lb',
      Ports: '80, 443',
      Age: '60m',
    });
  });
});

describe('IngressClass', () => {
  const classes = new KindUnderTest(group, 'ingressclasses');
  const parameters = { apiGroup: 'example.com', kind: 'Setup', name: 's' };
  const good = {
    apiVersion: group,
    kind: 'IngressClass',
    metadata: { name: 'c' },
    spec: { controller: 'example.com/ingress', parameters },
  };
  classes.refuses(good, [
    ['spec.controller', '', 'spec.controller: Required value'],
    [
      'spec.controller',
      'nginx',
      'spec.controller: Invalid value: "nginx": must be a domain-prefixed path (such as "acme.io/foo")',
    ],
    ['spec.parameters.kind', '', 'spec.parameters.kind: Required value'],
    [
      'spec.parameters.namespace',
      'x',
      "spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'",
    ],
  ]);
  classes.refusesChange(good, [
    [
      'spec.controller',
      'example.com/other',
      'spec.controller: Invalid value: "example.com/other": field is immutable',
    ],
  ]);
  it('shows what kubectl shows', () => {
    assert.deepEqual(Object.values(classes.cells(classes.create(good))), [
      'c',
      'example.com/ingress',
      'Setup.example.com/s',
      '60m',
    ]);
  });
});

describe('NetworkPolicy', () => {
  const policies = new KindUnderTest(group, 'networkpolicies');
  const good = {
    apiVersion: group,
    kind: 'NetworkPolicy',
    metadata: { name: 'np' },
    spec: { podSelector: { matchLabels: { a: 'b' } }, ingress: [{ ports: [{ port: 80 }] }] },
  };
  it('has the defaults of networking.k8s.io/v1', () => {
    const spec = objectField(policies.create(good), 'spec');
    assert.deepEqual(spec.policyTypes, ['Ingress']);
    assert.deepEqual(spec.ingress, [{ ports: [{ port: 80, protocol: 'TCP' }] }]);
    const both = policies.create({ ...good, spec: { egress: [{}] } });
    assert.deepEqual(objectField(both, 'spec').policyTypes, ['Ingress', 'Egress']);
  });
  const from = 'spec.ingress[0].from[0]';
  const peer = (value: object) => [{ from: [value] }];
  policies.refuses(good, [
    ['spec.ingress', peer({}), `${from}: Required value: must specify a peer`],
    [
      'spec.ingress',
      peer({ podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } }),
      `${from}: Forbidden: may not specify both ipBlock and another peer`,
    ],
    [
      'spec.ingress',
      peer({ ipBlock: { cidr: '10.0.0.0' } }),
      `${from}.ipBlock.cidr: Invalid value: "10.0.0.0": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)`,
    ],
    ['spec.ingress', peer({ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } })],
    [
      'spec.ingress',
      peer({ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] } }),
      `${from}.ipBlock.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of \`cidr\``,
    ],
    [
      'spec.ingress[0].ports',
      [{ port: 80, endPort: 70 }],
      'spec.ingress[0].ports[0].endPort: Invalid value: 80: must be greater than or equal to `port`',
    ],
    [
      'spec.policyTypes',
      ['Ingress', 'Sideways'],
      'spec.policyTypes[1]: Unsupported value: "Sideways": supported values: "Ingress", "Egress"',
    ],
  ]);
  it('shows what kubectl shows', () => {
    assert.deepEqual(Object.values(policies.cells(policies.create(good))), ['np', 'a=b', '60m']);
  });
});

describe('EndpointSlice', () => {
  const slices = new KindUnderTest('discovery.k8s.io/v1', 'endpointslices');
  const good = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'eps' },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.1.1'] }, { addresses: ['10.1.1.2'] }],
    ports: [{ name: 'h', port: 80 }],
  };
  it('has the defaults of discovery.k8s.io/v1', () => {
    const slice = slices.create({ ...good, ports: [{ port: 80 }] });
    assert.deepEqual(slice.ports, [{ name: '', port: 80, protocol: 'TCP' }]);
  });
  slices.refuses(good, [
    ['addressType', '', 'addressType: Required value'],
    [
      'addressType',
      'MAC',
      'addressType: Unsupported value: "MAC": supported values: "FQDN", "IPv4", "IPv6"',
    ],
    [
      'endpoints',
      [{ addresses: [] }],
      'endpoints[0].addresses: Required value: must contain at least 1 address',
    ],
    [
      'endpoints',
      [{ addresses: ['::1'] }],
      'endpoints[0].addresses: Invalid value: "::1": must be an IPv4 address',
    ],
    ['ports[1]', { name: 'h', port: 81 }, 'ports[1].name: Duplicate value: "h"'],
    [
      'endpoints',
      Array.from({ length: 1001 }, () => ({ addresses: ['10.0.0.1'] })),
      'endpoints: Too many: 1001: must have at most 1000 items',
    ],
  ]);
  slices.refusesChange({ ...good, endpoints: [] }, [
    ['addressType', 'IPv6', 'addressType: Invalid value: "IPv6": field is immutable'],
  ]);
  it('shows what kubectl shows', () => {
    assert.deepEqual(Object.values(slices.cells(slices.create(good))), [
      'eps',
      'IPv4',
      '80',
      '10.1.1.1,10.1.1.2',
      '60m',
    ]);
    const empty = slices.create({ ...good, endpoints: [], ports: [] });
    assert.deepEqual(Object.values(slices.cells(empty)).slice(2, 4), ['<unset>', '<unset>']);
  });
});

describe('Endpoints', () => {
  const endpoints = new KindUnderTest('v1', 'endpoints');
  const good = {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name: 'e' },
    subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }],
  };
  it('names the protocol of its ports', () => {
    const subsets: unknown = endpoints.create(good).subsets;
    assert.deepEqual(subsets, [
      { addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80, protocol: 'TCP' }] },
    ]);
  });
  endpoints.refuses(good, [
    [
      'subsets[0].addresses',
      [],
      'subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`',
    ],
    [
      'subsets[0].addresses[0].ip',
      'x',
      'subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      'subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address',
    ],
    ['subsets[0].ports[1]', { name: 'b', port: 81 }, 'subsets[0].ports[0].name: Required value'],
  ]);
  it('shows what kubectl shows', () => {
    assert.equal(endpoints.cells(endpoints.create(good)).Endpoints, '10.0.0.1:80');
    const many = [{ addresses: ['1', '2', '3', '4'].map((n) => ({ ip: `10.0.0.${n}` })) }];
    const cells = endpoints.cells(endpoints.create({ ...good, subsets: many }));
    assert.equal(cells.Endpoints, '10.0.0.1,10.0.0.2,10.0.0.3 + 1 more...');
    assert.equal(endpoints.cells(endpoints.create({ ...good, subsets: [] })).Endpoints, '<none>');
  });
});
