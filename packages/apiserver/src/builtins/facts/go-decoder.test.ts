import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtinFacts } from './builtin-facts.ts';
import { completeGo } from './go-completion.ts';
import { decodeGo } from './go-decoder.ts';

const decodePod = (spec: object) => decodeGo(builtinFacts, 'core.v1.Pod', { spec });

test('decodeGo() leaves out what Go leaves out, and keeps what a pointer tells', () => {
  const spec = {
    hostNetwork: false,
    nodeSelector: {},
    tolerations: [],
    enableServiceLinks: false,
    priority: 0,
    containers: [{ name: 'a', image: '', env: [], securityContext: {}, stdin: null }],
  };
  assert.deepEqual(decodePod(spec), {
    value: {
      spec: {
        enableServiceLinks: false,
        priority: 0,
        containers: [{ name: 'a', securityContext: {} }],
      },
    },
    unknownFields: [],
    problem: undefined,
  });
});

test('decodeGo() takes unknown fields out and names them, also inside inlined structs', () => {
  const volumes = [{ name: 'v', emptyDir: { zz: 1 }, yy: {} }];
  const { value, unknownFields } = decodePod({ volumes, xx: 1 });
  assert.deepEqual(value, { spec: { volumes: [{ name: 'v', emptyDir: {} }] } });
  assert.deepEqual(unknownFields, ['spec.volumes[0].emptyDir.zz', 'spec.volumes[0].yy', 'spec.xx']);
});

test('decodeGo() writes quantities, times and bytes in their canonical form', () => {
  const limits = { cpu: 0.5, memory: '1024Mi' };
  const pod = decodePod({ containers: [{ name: 'a', resources: { limits } }] });
  const canonical = { cpu: '500m', memory: '1Gi' };
  assert.deepEqual(pod.value.spec, {
    containers: [{ name: 'a', resources: { limits: canonical } }],
  });
  const lease = { spec: { renewTime: '2026-01-01T02:00:00.5+02:00' } };
  assert.deepEqual(decodeGo(builtinFacts, 'coordination.v1.Lease', lease).value, {
    spec: { renewTime: '2026-01-01T00:00:00.500000Z' },
  });
  const secret = { data: { a: 'YQ\n==' } };
  assert.deepEqual(decodeGo(builtinFacts, 'core.v1.Secret', secret).value, {
    data: { a: 'YQ==' },
  });
});

const wrong: readonly (readonly [object, string])[] = [
  [
    { containers: 'x' },
    'string into Go struct field PodSpec.spec.containers of type []v1.Container',
  ],
  [{ containers: [[]] }, 'array into Go struct field PodSpec.spec.containers of type v1.Container'],
  [{ priority: 1.5 }, 'number 1.5 into Go struct field PodSpec.spec.priority of type int32'],
  [{ priority: 2 ** 31 }, 'number into Go struct field PodSpec.spec.priority of type int32'],
  [
    { containers: [{ env: [{ value: 5 }] }] },
    'number into Go struct field EnvVar.spec.containers.env.value of type string',
  ],
  [
    { nodeSelector: { a: true } },
    'bool into Go struct field PodSpec.spec.nodeSelector of type string',
  ],
];

for (const [spec, text] of wrong) {
  test(`decodeGo() refuses: cannot unmarshal ${text}`, () => {
    assert.equal(decodePod(spec).problem, `json: cannot unmarshal ${text}`);
  });
}

test('decodeGo() refuses what only looks like a quantity, a time or base64', () => {
  const overhead = { cpu: 'much' };
  assert.match(decodePod({ overhead }).problem ?? '', /^quantities must match/);
  const lease = { spec: { renewTime: 'now' } };
  const { problem } = decodeGo(builtinFacts, 'coordination.v1.Lease', lease);
  assert.match(problem ?? '', /^parsing time "now" as/);
  const secret = decodeGo(builtinFacts, 'core.v1.Secret', { data: { a: 'YW!=' } });
  assert.equal(secret.problem, 'illegal base64 data at input byte 2');
});

test('decodeGo() keeps a key __proto__ a key', () => {
  const data: unknown = JSON.parse('{"__proto__":"x"}');
  const { value } = decodeGo(builtinFacts, 'core.v1.ConfigMap', { data });
  assert.equal(JSON.stringify(value), '{"data":{"__proto__":"x"}}');
});

test('completeGo() adds the structs that Go always writes and the defaults of types', () => {
  const spec = { containers: [{ name: 'a', ports: [{ containerPort: 80 }] }] };
  const pod = { kind: 'Pod', metadata: {}, spec };
  assert.deepEqual(completeGo(builtinFacts, 'core.v1.Pod', pod), {
    kind: 'Pod',
    metadata: {},
    spec: {
      containers: [{ name: 'a', ports: [{ containerPort: 80, protocol: 'TCP' }], resources: {} }],
    },
    status: {},
  });
});

test('completeGo() is the value itself when nothing is missing', () => {
  const map = { kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: 'b' } };
  assert.equal(completeGo(builtinFacts, 'core.v1.ConfigMap', map), map);
});
