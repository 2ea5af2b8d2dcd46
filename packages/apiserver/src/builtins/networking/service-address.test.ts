import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { objectField } from '../../object/object-form.ts';
import { allocate } from './service-address.ts';

function service(spec: object): KubeObject {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec };
}

function* addresses(): Generator<KubeObject> {
  for (let third = 0; third < 256; third++) {
    for (let fourth = 1; fourth < 255; fourth++) {
      yield service({ clusterIP: `10.96.${third}.${fourth}` });
    }
  }
}

const nodePorts = Array.from({ length: 2768 }, (_, index) =>
  service({ ports: [{ nodePort: 30_000 + index }] }),
);

function contextWith(taken: readonly KubeObject[]): Parameters<typeof allocate>[1] {
  const nothing = { user: undefined, others: () => [], find: () => undefined };
  return { random: seededRandom(1), siblings: () => taken, now: 0, ...nothing };
}

test('the last address is given out; then the network is full, and that is said', () => {
  const all = [...addresses()];
  const [first = service({}), ...rest] = all;
  const given = allocate(service({}), contextWith([...rest, service({ clusterIP: 'None' })]));
  assert.equal(objectField(given, 'spec').clusterIP, objectField(first, 'spec').clusterIP);
  assert.throws(() => allocate(service({}), contextWith(all)), /serviceIP: range is full/);
});

test('a range of node ports that is full is said to be', () => {
  const wanted = service({ type: 'NodePort', ports: [{ port: 80 }] });
  const [, ...rest] = nodePorts;
  const { ports } = objectField(allocate(wanted, contextWith(rest)), 'spec');
  assert.deepEqual(ports, [{ port: 80, nodePort: 30_000 }]);
  assert.throws(() => allocate(wanted, contextWith(nodePorts)), /nodePort: range is full/);
});
