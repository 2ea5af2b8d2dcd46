import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type MemoryStore, openMemoryStore } from '@fnlet/store';
import fc from 'fast-check';
import { numbersOf, ServiceNumbers } from '../src/builtins/networking/service-numbers.ts';
import { at, textAt } from './at.ts';
import { type OpenedServer, openServer } from './opened-server.ts';

const prefix = 'objects/core/services/';
const addresses = ['10.96.0.10', '10.96.0.11', 'None', ''];
const nodePorts = [30_080, 30_081, 0];
const apply = 'application/apply-patch+yaml';

interface Step {
  readonly verb: 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'empty';
  readonly namespace: string;
  readonly name: string;
  readonly type: string;
  readonly clusterIP: string;
  readonly nodePorts: readonly number[];
  readonly dryRun: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  verb: fc.constantFrom('POST', 'POST', 'PUT', 'PATCH', 'DELETE', 'empty'),
  namespace: fc.constantFrom('default', 'other'),
  name: fc.constantFrom('a', 'b', 'c'),
  type: fc.constantFrom('ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'),
  clusterIP: fc.constantFrom(...addresses),
  nodePorts: fc.array(fc.constantFrom(...nodePorts), { minLength: 1, maxLength: 3 }),
  dryRun: fc.boolean(),
});

const inNamespace = (namespace: string): string => `/api/v1/namespaces/${namespace}`;

/** Does the step, however it is answered; some are refused, some lose to another. */
async function take(server: OpenedServer, taken: Step): Promise<void> {
  const { verb, namespace, name, type, clusterIP, dryRun } = taken;
  if (verb === 'empty') {
    await server.ask('DELETE', inNamespace('other'));
    return;
  }
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  await server.ask('POST', '/api/v1/namespaces', { body });
  const ports = taken.nodePorts.map((nodePort, index) => ({
    name: `p${index}`,
    port: 80 + index,
    ...(type === 'ClusterIP' ? {} : { nodePort }),
  }));
  const spec = { type, ports, ...(clusterIP === '' ? {} : { clusterIP }), externalName: 'a.b' };
  const services = `${inNamespace(namespace)}/services`;
  const query = {
    ...(dryRun ? { dryRun: 'All' } : {}),
    ...(verb === 'PATCH' ? { fieldManager: 'test', force: 'true' } : {}),
  };
  await server.ask(verb, verb === 'POST' ? services : `${services}/${name}`, {
    query,
    ...(verb === 'PATCH' ? { contentType: apply } : {}),
    ...(verb === 'DELETE'
      ? {}
      : { body: { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec } }),
  });
}

/** What the stored Services have, each looked at. */
function scan(store: MemoryStore): { addresses: Set<string>; nodePorts: Set<number> } {
  const all = store.list(prefix).objects.map(({ value }) => numbersOf(value));
  return {
    addresses: new Set(all.flatMap(({ address }) => address ?? [])),
    nodePorts: new Set(all.flatMap((numbers) => numbers.nodePorts)),
  };
}

describe('the numbers of Services', () => {
  it('are those that a look at all Services finds, whatever was done to them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { maxLength: 3 }), { maxLength: 12 }),
        async (all) => {
          const store = openMemoryStore();
          await using server = await openServer({ store });
          const numbers = new ServiceNumbers(store);
          const seen = { addresses: new Set(addresses), nodePorts: new Set(nodePorts) };
          for (const together of all) {
            await Promise.all(together.map((one) => take(server, one)));
            const found = scan(store);
            for (const address of found.addresses) seen.addresses.add(address);
            for (const nodePort of found.nodePorts) seen.nodePorts.add(nodePort);
            const known = [...seen.addresses].filter((address) => numbers.hasAddress(address));
            assert.deepEqual(new Set(known), found.addresses);
            const ports = [...seen.nodePorts].filter((nodePort) => numbers.hasNodePort(nodePort));
            assert.deepEqual(new Set(ports), found.nodePorts);
          }
          numbers.close();
        },
      ),
      { numRuns: 25 },
    );
  });

  it('differ between Services that are created at the same time', async () => {
    await using server = await openServer();
    const spec = { type: 'NodePort', ports: [{ port: 80 }] };
    const names = Array.from({ length: 200 }, (_, index) => `svc-${index}`);
    const created = await Promise.all(
      names.map((name) =>
        server.ask('POST', `${inNamespace('default')}/services`, {
          body: { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec },
        }),
      ),
    );
    const given = created.map(({ body }) => at(body, '/spec/ports/0/nodePort'));
    assert.equal(new Set(created.map(({ body }) => textAt(body, '/spec/clusterIP'))).size, 200);
    assert.equal(new Set(given).size, 200);
  });

  it('are refused to a second Service that asks for them by number', async () => {
    await using server = await openServer();
    const path = `${inNamespace('default')}/services`;
    const body = (name: string, spec: object): object => ({
      ...{ apiVersion: 'v1', kind: 'Service', metadata: { name } },
      spec: { type: 'NodePort', ...spec },
    });
    const ports = [{ port: 80, nodePort: 30_080 }];
    const wanted = { clusterIP: '10.96.0.10', ports };
    assert.equal((await server.ask('POST', path, { body: body('a', wanted) })).status, 201);
    const second = await server.ask('POST', path, { body: body('b', wanted) });
    assert.equal(second.status, 422);
    assert.equal(
      textAt(second.body, '/message'),
      'Service "b" is invalid: [spec.clusterIPs: Invalid value: ["10.96.0.10"]: failed to ' +
        'allocate IP 10.96.0.10: provided IP is already allocated, spec.ports[0].nodePort: ' +
        'Invalid value: 30080: provided port is already allocated]',
    );
    const again = await server.ask('PUT', `${path}/a`, { body: body('a', wanted) });
    assert.equal(again.status, 200, 'what it has it may ask for');
    await server.ask('DELETE', `${path}/a`);
    assert.equal((await server.ask('POST', path, { body: body('b', wanted) })).status, 201);
  });
});
