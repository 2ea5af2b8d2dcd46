import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@fnlet/machinery';
import { endpointSliceType, endpointsType, type Service, serviceType } from '../src/service.ts';
import { Cluster } from './cluster.ts';

const types = [serviceType, endpointSliceType, endpointsType];

function found(cluster: Cluster): Promise<readonly KubeObject[]> {
  return cluster.until(async () => {
    const objects = [];
    for (const type of types) {
      const object = await cluster.get<KubeObject>(type, 'kubernetes');
      if (object === undefined) return undefined;
      objects.push(object);
    }
    return objects;
  }, 30_000);
}

const versions = (objects: readonly KubeObject[]): unknown =>
  objects.map(({ metadata }) => metadata.resourceVersion);

test('the API has the Service that every cluster has of it, and is behind it', async () => {
  await using cluster = await new Cluster().start();
  const [service, slice, endpoints] = await found(cluster);
  const { clusterIP, ports, selector } = Object(service?.spec);
  assert.equal(clusterIP, '10.96.0.1');
  assert.deepEqual(ports, [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 7443 }]);
  assert.equal(selector, undefined);
  assert.deepEqual(Object(slice).endpoints[0].addresses, ['127.0.0.1']);
  assert.equal(Object(slice).ports[0].port, 7443);
  assert.equal(Object(endpoints).subsets[0].addresses[0].ip, '127.0.0.1');
});

test('nothing is written while it is so, and what somebody deletes is there again', async () => {
  await using cluster = await new Cluster().start();
  const before = versions(await found(cluster));
  await cluster.clock.advance(30_000);
  assert.deepEqual(versions(await found(cluster)), before);
  for (const type of types) await cluster.delete(type, 'kubernetes');
  assert.notDeepEqual(versions(await found(cluster)), before);
});

test('another port is told when the API has one', async () => {
  await using cluster = await new Cluster().start();
  await found(cluster);
  const ports = [{ name: 'https', port: 443, targetPort: 1 }];
  await cluster.patch<Service>(serviceType, 'kubernetes', { spec: { ports } });
  await cluster.until(async () => {
    const service = await cluster.get<Service>(serviceType, 'kubernetes');
    return service?.spec.ports?.[0]?.targetPort === 7443;
  }, 30_000);
});
