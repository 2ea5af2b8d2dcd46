import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KindUnderTest } from './kind-under-test.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const mebibyte = 1024 * 1024;

describe('ConfigMap', () => {
  const maps = new KindUnderTest('v1', 'configmaps');
  const good = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' }, data: { a: 'b' } };
  const key =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name', " +
    " or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
  maps.refuses(good, [
    ['data', { 'a b': 'x' }, `data[a b]: Invalid value: "a b": ${key}`],
    ['data', { '..': 'x' }, 'data[..]: Invalid value: "..": must not be \'..\''],
    [
      'binaryData',
      { a: base64('x') },
      'data[a]: Invalid value: "a": duplicate of key present in binaryData',
    ],
    ['data', { a: 'x'.repeat(mebibyte) }],
    ['data', { a: 'x'.repeat(mebibyte + 1) }, '[]: Too long: may not be more than 1048576 bytes'],
  ]);
  const frozen = 'field is immutable when `immutable` is set';
  maps.refusesChange({ ...good, immutable: true }, [
    ['data', { a: 'c' }, `data: Forbidden: ${frozen}`],
    ['immutable', undefined, `immutable: Forbidden: ${frozen}`],
  ]);
});

describe('Secret', () => {
  const secrets = new KindUnderTest('v1', 'secrets');
  const good = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: {} };
  const typed = (type: string, data: object = {}) => ({ ...good, type, data });
  const rows: readonly (readonly [secret: object, ...refusals: readonly string[]])[] = [
    [typed('kubernetes.io/tls', { 'tls.crt': '', 'tls.key': '' })],
    [typed('kubernetes.io/tls', { 'tls.crt': '' }), 'data[tls.key]: Required value'],
    [typed('kubernetes.io/basic-auth', { username: base64('u') })],
    [
      typed('kubernetes.io/basic-auth'),
      'data[username]: Required value',
      'data[password]: Required value',
    ],
    [typed('kubernetes.io/ssh-auth'), 'data[ssh-privatekey]: Required value'],
    [typed('kubernetes.io/dockerconfigjson', { '.dockerconfigjson': base64('{"auths":{}}') })],
    [
      typed('kubernetes.io/dockerconfigjson', { '.dockerconfigjson': base64('hello') }),
      'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": expected a JSON object',
    ],
    [
      typed('kubernetes.io/service-account-token'),
      'metadata.annotations[kubernetes.io/service-account.name]: Required value',
    ],
    [typed('example.com/mine')],
    [
      typed('Opaque', { a: 'A'.repeat(1_400_000) }),
      'data: Too long: may not be more than 1048576 bytes',
    ],
  ];
  for (const [secret, ...expected] of rows) {
    it(`${JSON.stringify(secret).slice(60, 150)} is ${expected.length === 0 ? 'good' : 'not'}`, () => {
      assert.deepEqual(secrets.refusals(secrets.create({ ...secret })), expected);
    });
  }
  secrets.refusesChange(typed('Opaque'), [
    ['type', 'other', 'type: Invalid value: "other": field is immutable'],
  ]);
});

describe('Lease', () => {
  const leases = new KindUnderTest('coordination.k8s.io/v1', 'leases');
  const good = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'l' },
    spec: { leaseDurationSeconds: 15, leaseTransitions: 0 },
  };
  leases.refuses(good, [
    [
      'spec.leaseDurationSeconds',
      0,
      'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
    ],
    [
      'spec.leaseTransitions',
      -1,
      'spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0',
    ],
  ]);
});

describe('Event', () => {
  const about = { kind: 'Pod', namespace: 'd', name: 'p' };
  const core = new KindUnderTest('v1', 'events');
  const metadata = { name: 'e', namespace: 'd' };
  core.refuses({ apiVersion: 'v1', kind: 'Event', metadata, involvedObject: about }, [
    [
      'involvedObject.namespace',
      'other',
      'involvedObject.namespace: Invalid value: "other": does not match event.namespace',
    ],
  ]);
  const events = new KindUnderTest('events.k8s.io/v1', 'events');
  const good = {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata,
    regarding: about,
    eventTime: '2026-01-01T00:00:00.000000Z',
    type: 'Normal',
    reason: 'Started',
    action: 'Starting',
    reportingController: 'example.com/controller',
    reportingInstance: 'controller-1',
  };
  events.refuses(good, [
    ['type', 'Loud', 'type: Unsupported value: "Loud": supported values: "Normal", "Warning"'],
    ['reportingController', undefined, 'reportingController: Required value'],
    ['reason', 'x'.repeat(129), 'reason: Invalid value: "": can have at most 128 characters'],
    ['note', 'x'.repeat(1025), 'note: Invalid value: "": can have at most 1024 characters'],
  ]);
});
