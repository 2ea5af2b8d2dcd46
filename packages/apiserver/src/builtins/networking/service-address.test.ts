import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { openMemoryStore } from '@fnlet/store';
import { listField, objectField } from '../../object/object-form.ts';
import { allocate } from './service-address.ts';
import { ServiceNumbers } from './service-numbers.ts';

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

async function contextWith(taken: readonly KubeObject[]): Promise<Parameters<typeof allocate>[1]> {
  const store = openMemoryStore();
  const keyOf = (index: number): string => `objects/core/services/default/${index}`;
  await store.write(
    taken.map((value, index) => ({ key: keyOf(index), value: { ...value }, expected: 0 })),
  );
  const nothing = { user: undefined, siblings: () => [], others: () => [], find: () => undefined };
  return { random: seededRandom(1), now: 0, ...nothing, serviceNumbers: new ServiceNumbers(store) };
}

test('the last address is given out; then the network is full, and that is said', async () => {
  const all = [...addresses()];
  const [first = service({}), ...rest] = all;
  const one = await contextWith([...rest, service({ clusterIP: 'None' })]);
  const given = allocate(service({}), one);
  assert.equal(objectField(given, 'spec').clusterIP, objectField(first, 'spec').clusterIP);
  const none = await contextWith(all);
  assert.throws(() => allocate(service({}), none), /serviceIP: range is full/);
});

test('a range of node ports that is full is said to be', async () => {
  const wanted = service({ type: 'NodePort', ports: [{ port: 80 }] });
  const [, ...rest] = nodePorts;
  const one = await contextWith(rest);
  const { ports } = objectField(allocate(wanted, one), 'spec');
  assert.deepEqual(ports, [{ port: 80, nodePort: 30_000 }]);
  const none = await contextWith(nodePorts);
  assert.throws(() => allocate(wanted, none), /nodePort: range is full/);
});

test('what a failed write was given is given again before the range counts as full', async () => {
  const wanted = service({ type: 'NodePort', ports: [{ port: 80 }] });
  const [, , ...rest] = nodePorts;
  const context = await contextWith(rest);
  const given = [1, 2, 3].map(() => {
    const [port] = listField(objectField(allocate(wanted, context), 'spec'), 'ports');
    return Number(port?.nodePort);
  });
  assert.deepEqual(given.slice(0, 2).toSorted(), [30_000, 30_001]);
  assert.ok(given.slice(0, 2).includes(given[2] ?? 0));
});
