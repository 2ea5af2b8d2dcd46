import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listField, objectField } from '../../src/object/object-form.ts';
import { at } from '../at.ts';
import { type Answer, openServer } from '../opened-server.ts';
import { KindUnderTest } from './kind-under-test.ts';

const services = new KindUnderTest('v1', 'services');
const good = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'svc' },
  spec: { selector: { a: 'b' }, ports: [{ name: 'http', port: 80 }] },
};
const path = '/api/v1/namespaces/default/services';

describe('Service', () => {
  it('has the defaults of core/v1', () => {
    const { clusterIP, clusterIPs, ...spec } = objectField(services.create(good), 'spec');
    assert.match(String(clusterIP), /^10\.96\.\d+\.\d+$/);
    assert.deepEqual(clusterIPs, [clusterIP]);
    assert.deepEqual(spec, {
      selector: { a: 'b' },
      ports: [{ name: 'http', port: 80, targetPort: 80, protocol: 'TCP' }],
      type: 'ClusterIP',
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
    });
  });

  it('sticks for three hours when it sticks', () => {
    const spec = { ...good.spec, sessionAffinity: 'ClientIP' };
    const sticky = objectField(services.create({ ...good, spec }), 'spec');
    assert.deepEqual(sticky.sessionAffinityConfig, { clientIP: { timeoutSeconds: 10_800 } });
  });

  it('has a port on every node when it is asked for from outside', () => {
    for (const type of ['NodePort', 'LoadBalancer']) {
      const created = services.create({ ...good, spec: { ...good.spec, type } });
      const spec = objectField(created, 'spec');
      const [port] = listField(spec, 'ports');
      assert.ok(Number(port?.nodePort) >= 30_000 && Number(port?.nodePort) <= 32_767);
      assert.equal(spec.externalTrafficPolicy, 'Cluster');
    }
  });

  it('keeps the node port of a port by its name, whatever its number becomes', async () => {
    await using server = await openServer();
    const type = 'NodePort';
    const ports = [
      { name: 'a', port: 80 },
      { name: 'b', port: 81 },
    ];
    const { body } = await server.ask('POST', path, { body: { ...good, spec: { type, ports } } });
    const [a, b] = [0, 1].map((i) => at(body, `/spec/ports/${i}/nodePort`));
    const put = (next: readonly object[]): Promise<Answer> =>
      server.ask('PUT', `${path}/svc`, { body: { ...good, spec: { type, ports: next } } });
    const moved = await put([
      { name: 'b', port: 90 },
      { name: 'a', port: 80, protocol: 'UDP' },
    ]);
    assert.equal(at(moved.body, '/spec/ports/0/nodePort'), b);
    assert.equal(at(moved.body, '/spec/ports/1/nodePort'), a);
    const taken = await put([
      { name: 'a', port: 80 },
      { name: 'c', port: 81, nodePort: a },
    ]);
    assert.equal(at(taken.body, '/spec/ports/1/nodePort'), a);
    assert.notEqual(at(taken.body, '/spec/ports/0/nodePort'), a);
  });

  it('has no address when it is only a name', () => {
    const spec = { type: 'ExternalName', externalName: 'example.com' };
    assert.deepEqual(objectField(services.create({ ...good, spec }), 'spec'), {
      ...spec,
      sessionAffinity: 'None',
    });
  });

  const port = 'spec.ports[0]';
  services.refuses(good, [
    ['spec.ports', [], 'spec.ports: Required value'],
    ['spec', { clusterIP: 'None' }],
    [
      'spec',
      { ...good.spec, type: 'NodePort', clusterIP: 'None' },
      'spec.clusterIPs[0]: Invalid value: "None": may not be set to \'None\' for NodePort services',
    ],
    [
      'spec.type',
      'Loud',
      'spec.type: Unsupported value: "Loud": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
    ],
    [
      port,
      { port: 0, targetPort: 80 },
      `${port}.port: Invalid value: 0: must be between 1 and 65535, inclusive`,
    ],
    [
      `${port}.protocol`,
      'HTTP',
      `${port}.protocol: Unsupported value: "HTTP": supported values: "SCTP", "TCP", "UDP"`,
    ],
    ['spec.ports[1]', { port: 81 }, 'spec.ports[1].name: Required value'],
    ['spec.ports[1]', { name: 'http', port: 81 }, 'spec.ports[1].name: Duplicate value: "http"'],
    [
      'spec.ports[1]',
      { name: 'other', port: 80 },
      'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
    ],
    [
      `${port}.nodePort`,
      30_000,
      `${port}.nodePort: Forbidden: may not be used when \`type\` is 'ClusterIP'`,
    ],
    [
      'spec.sessionAffinity',
      'Cookie',
      'spec.sessionAffinity: Unsupported value: "Cookie": supported values: "ClientIP", "None"',
    ],
    [
      'spec.externalIPs',
      ['here'],
      'spec.externalIPs[0]: Invalid value: "here": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
    ['spec', { type: 'ExternalName' }, 'spec.externalName: Required value'],
    [
      'spec.loadBalancerSourceRanges',
      ['10.0.0.0/8'],
      "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
    ],
    [
      'spec.externalTrafficPolicy',
      'Local',
      'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
    ],
  ]);
  services.refusesChange(good, [
    ['spec.selector', { c: 'd' }],
    [
      'spec.clusterIP',
      '10.96.0.9',
      'spec.clusterIPs[0]: Invalid value: ["10.96.0.9"]: may not change once set',
    ],
  ]);

  it('keeps its address and its node port through a PUT that says nothing of them', async () => {
    await using server = await openServer();
    const outside = { ...good, spec: { ...good.spec, type: 'NodePort' } };
    const { body: created } = await server.ask('POST', path, { body: outside });
    const { body: updated } = await server.ask('PUT', `${path}/svc`, { body: outside });
    assert.deepEqual(at(updated, '/spec'), at(created, '/spec'));
  });

  it('lets go of what only its type has when that changes, also by apply', async () => {
    await using server = await openServer();
    const apply = (spec: object): Promise<Answer> =>
      server.ask('PATCH', `${path}/svc`, {
        query: { fieldManager: 'a', force: 'true' },
        body: { ...good, spec: { ...good.spec, ...spec } },
        contentType: 'application/apply-patch+yaml',
      });
    const loud = { type: 'LoadBalancer', loadBalancerClass: 'example.com/lb' };
    const { body: first } = await apply(loud);
    assert.equal(at(first, '/spec/allocateLoadBalancerNodePorts'), true);
    const { status, body } = await apply({ type: 'ClusterIP' });
    assert.equal(status, 200, JSON.stringify(body));
    const gone = [
      ...['allocateLoadBalancerNodePorts', 'externalTrafficPolicy', 'loadBalancerClass'],
      'ports/0/nodePort',
    ];
    for (const field of gone) assert.equal(at(body, `/spec/${field}`), undefined, field);
    const again = await apply({ type: 'NodePort' });
    assert.equal(at(again.body, '/spec/externalTrafficPolicy'), 'Cluster');
    const asked = await apply({ type: 'ClusterIP', externalTrafficPolicy: 'Local' });
    assert.equal(asked.status, 422, 'what is asked for is not dropped');
  });

  it('gives its node port back when it is no longer asked for from outside', async () => {
    await using server = await openServer();
    const outside = { ...good, spec: { ...good.spec, type: 'NodePort' } };
    await server.ask('POST', path, { body: outside });
    const patch = async (spec: object) => {
      const contentType = 'application/merge-patch+json';
      const { body } = await server.ask('PATCH', `${path}/svc`, { body: { spec }, contentType });
      return body;
    };
    const inside = await patch({ type: 'ClusterIP', externalTrafficPolicy: null });
    assert.equal(at(inside, '/spec/ports/0/nodePort'), undefined);
    const again = await patch({ type: 'NodePort' });
    assert.ok(Number(at(again, '/spec/ports/0/nodePort')) >= 30_000);
    const name = await patch({
      type: 'ExternalName',
      externalName: 'example.com',
      ports: null,
      externalTrafficPolicy: null,
    });
    assert.equal(at(name, '/spec/clusterIP'), undefined);
  });

  it('shows what kubectl shows', () => {
    assert.deepEqual(services.columns(), [
      ['Name', 'Type', 'Cluster-IP', 'External-IP', 'Port(s)', 'Age'],
      ['Selector'],
    ]);
    const fixed = { ...good.spec, clusterIP: '10.96.0.9' };
    const cells = (spec: object): readonly unknown[] =>
      Object.values(services.cells(services.create({ ...good, spec: { ...fixed, ...spec } })));
    assert.deepEqual(cells({}), [
      'svc',
      'ClusterIP',
      '10.96.0.9',
      '<none>',
      '80/TCP',
      '60m',
      'a=b',
    ]);
    assert.deepEqual(
      cells({ type: 'LoadBalancer', ports: [{ port: 80, nodePort: 30_080 }] }).slice(3, 5),
      ['<pending>', '80:30080/TCP'],
    );
  });
});
