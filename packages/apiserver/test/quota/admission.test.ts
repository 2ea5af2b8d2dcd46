import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mirrorUser } from '../../src/index.ts';
import { at } from '../at.ts';
import { configMap, openQuotaWorld, pod, refusal, secret, service, until } from './quota-world.ts';

const dryRun = { query: { dryRun: 'All' } };

describe('a write under a quota', () => {
  it('is counted when it is answered, and refused in the words of Kubernetes', async () => {
    await using world = await openQuotaWorld();
    await world.bound('q', { hard: { secrets: '2' } });
    for (const name of ['a', 'b']) {
      assert.equal((await world.create('secrets', secret(name))).status, 201);
      assert.deepEqual(await world.used('q'), { secrets: name === 'a' ? '1' : '2' });
    }
    const { status, body } = await world.create('secrets', secret('c'));
    assert.equal(status, 403);
    assert.deepEqual(body, {
      ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' },
      message:
        'secrets "c" is forbidden: exceeded quota: q, requested: secrets=1, used: secrets=2, limited: secrets=2',
      ...{ reason: 'Forbidden', details: { name: 'c', kind: 'secrets' }, code: 403 },
    });
    assert.deepEqual(await world.used('q'), { secrets: '2' });
  });

  it('says what a Pod must say', async () => {
    await using world = await openQuotaWorld();
    await world.bound('q', { hard: { 'limits.cpu': '1' } });
    assert.equal(
      refusal(await world.create('pods', pod('p'))),
      'pods "p" is forbidden: failed quota: q: must specify limits.cpu for: c',
    );
    const limited = pod('p', {}, { limits: { cpu: '600m' } });
    assert.equal((await world.create('pods', limited)).status, 201);
    assert.deepEqual(await world.used('q'), { 'limits.cpu': '600m' });
    assert.match(
      refusal(await world.create('pods', { ...limited, metadata: { generateName: 'p-' } })),
      /^pods "p-.{5}" is forbidden: exceeded quota: q, requested: limits.cpu=600m, used: limits.cpu=600m, limited: limits.cpu=1$/,
    );
  });

  it('takes what a LimitRange says for what the Pod says', async () => {
    await using world = await openQuotaWorld();
    const limits = [{ type: 'Container', default: { cpu: '2' }, defaultRequest: { cpu: '1' } }];
    const head = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'r' } };
    await world.create('limitranges', { ...head, spec: { limits } });
    await world.bound('q', { hard: { 'limits.cpu': '2', cpu: '2' } });
    assert.equal((await world.create('pods', pod('p'))).status, 201);
    assert.deepEqual(await world.used('q'), { cpu: '1', 'limits.cpu': '2' });
  });

  it('counts what a Pod may use as a whole for what it needs', async () => {
    await using world = await openQuotaWorld();
    await world.bound('q', { hard: { 'requests.cpu': '1' } });
    const whole = pod('p', { resources: { limits: { cpu: '2' } } });
    assert.match(refusal(await world.create('pods', whole)), /requested: requests.cpu=2/);
    const some = pod('p', { resources: { limits: { cpu: '2' } } }, { requests: { cpu: '200m' } });
    assert.equal((await world.create('pods', some)).status, 201);
    assert.deepEqual(await world.used('q'), { 'requests.cpu': '200m' });
  });

  it('is only tried by a dry run', async () => {
    await using world = await openQuotaWorld();
    await world.bound('q', { hard: { secrets: '1' } });
    assert.equal((await world.create('secrets', secret('a'), dryRun)).status, 201);
    assert.deepEqual(await world.used('q'), { secrets: '0' });
    await world.create('secrets', secret('a'));
    assert.match(refusal(await world.create('secrets', secret('b'), dryRun)), /exceeded quota: q/);
  });

  it('costs nothing when the object is there already', async () => {
    await using world = await openQuotaWorld();
    await world.bound('q', { hard: { secrets: '5', resourcequotas: '5' } });
    const same = Array.from({ length: 4 }, () => world.create('secrets', secret('a')));
    const found = (await Promise.all(same)).map(({ status }) => status);
    assert.deepEqual(found.toSorted(), [201, 409, 409, 409]);
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' } };
    assert.equal((await world.create('resourcequotas', quota)).status, 409);
    assert.deepEqual(await world.used('q'), { resourcequotas: '1', secrets: '1' });
  });

  it('is refused by any of several quotas, and then charged to none', async () => {
    await using world = await openQuotaWorld();
    await world.bound('large', { hard: { secrets: '9', configmaps: '9' } });
    await world.bound('small', { hard: { secrets: '1' } });
    await world.create('secrets', secret('a'));
    assert.match(refusal(await world.create('secrets', secret('b'))), /exceeded quota: small,/);
    assert.deepEqual(await world.used('large'), { configmaps: '1', secrets: '1' });
    assert.deepEqual(await world.used('small'), { secrets: '1' });
  });

  it('is not made in another namespace than its own', async () => {
    await using world = await openQuotaWorld();
    await world.bound('q', { hard: { secrets: '0' } });
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } };
    await world.ask('POST', '/api/v1/namespaces', { body });
    const path = '/api/v1/namespaces/other/secrets';
    assert.equal((await world.ask('POST', path, { body: secret('a') })).status, 201);
    assert.equal((await world.create('secrets', secret('a'))).status, 403);
  });

  it('is made as an apply, and counted once', async () => {
    await using world = await openQuotaWorld();
    await world.bound('q', { hard: { secrets: '1' } });
    const apply = (name: string, data: object) =>
      world.patch(
        `secrets/${name}`,
        { ...secret(name), stringData: data },
        {
          contentType: 'application/apply-patch+yaml',
          query: { fieldManager: 'test' },
        },
      );
    assert.equal((await apply('a', {})).status, 201);
    assert.equal((await apply('a', { x: 'y' })).status, 200);
    assert.match(refusal(await apply('b', {})), /exceeded quota: q/);
  });
});

describe('many writes at once', () => {
  it('fit as often as there is room', async () => {
    await using world = await openQuotaWorld();
    await world.bound('q', { hard: { pods: '10', 'requests.memory': '1Gi' } });
    const needs = { requests: { memory: '1Mi' } };
    const tries = Array.from({ length: 50 }, (_, i) => {
      const one = pod(`p${i}`, {}, needs);
      const metadata = i % 2 === 0 ? one.metadata : { generateName: 'p-' };
      return world.create('pods', { ...one, metadata });
    });
    const answers = await Promise.all(tries);
    assert.equal(answers.filter(({ status }) => status === 201).length, 10);
    assert.equal(answers.filter(({ status }) => status === 403).length, 40);
    assert.deepEqual(await world.used('q'), { pods: '10', 'requests.memory': '10Mi' });
  });

  it('fit while the quota itself is changed all the time', async () => {
    await using world = await openQuotaWorld();
    await world.bound('q', { hard: { secrets: '10' } });
    const tries = Array.from({ length: 30 }, async (_, i) => {
      const metadata = { labels: { at: `${i}` } };
      const spec = { hard: { secrets: '10', configmaps: `${i}` } };
      const changed = await world.patch(
        'resourcequotas/q',
        i % 3 === 0 ? { metadata, spec } : { metadata },
      );
      assert.equal(changed.status, 200);
      return world.create('secrets', secret(`s${i}`));
    });
    const answers = await Promise.all(tries);
    assert.equal(answers.filter(({ status }) => status === 201).length, 10);
    await until(async () => (await world.used('q')).secrets === '10');
  });

  it('are counted when the quota comes in the middle of them', async () => {
    await using world = await openQuotaWorld();
    const before = Array.from({ length: 30 }, (_, i) => world.create('secrets', secret(`a${i}`)));
    const bound = world.bound('q', { hard: { secrets: '1000' } });
    const after = Array.from({ length: 30 }, (_, i) => world.create('secrets', secret(`b${i}`)));
    await Promise.all([...before, bound, ...after]);
    await world.untilUsed('q', { secrets: '60' });
  });
});

describe('an update under a quota', () => {
  const ports = [{ port: 80, name: 'a' }];
  const two = [...ports, { port: 81, name: 'b' }];

  it('costs what it makes more, and frees what it makes less', async () => {
    await using world = await openQuotaWorld();
    const hard = { services: '2', 'services.nodeports': '2', 'services.loadbalancers': '1' };
    await world.bound('q', { hard });
    const use = (nodePorts: number, balancers: number) => ({
      ...{ services: '1', 'services.loadbalancers': `${balancers}` },
      'services.nodeports': `${nodePorts}`,
    });
    await world.create('services', service('s', { ports }));
    const change = (spec: object) => world.patch('services/s', { spec: { ...spec } });
    assert.equal((await change({ type: 'NodePort' })).status, 200);
    assert.deepEqual(await world.used('q'), use(1, 0));
    assert.equal((await change({ type: 'LoadBalancer', ports: two })).status, 200);
    assert.deepEqual(await world.used('q'), use(2, 1));
    assert.equal(
      refusal(await change({ ports: [...two, { port: 82, name: 'c' }] })),
      'services "s" is forbidden: exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=2, limited: services.nodeports=2',
    );
    assert.equal((await change({ ports, type: 'ClusterIP' })).status, 200);
    await world.untilUsed('q', use(0, 0));
  });

  it('is only tried by a dry run', async () => {
    await using world = await openQuotaWorld();
    await world.bound('q', { hard: { 'services.nodeports': '0' } });
    await world.create('services', service('s', { ports }));
    const answer = await world.patch('services/s', { spec: { type: 'NodePort' } }, dryRun);
    assert.match(refusal(answer), /exceeded quota: q, requested: services.nodeports=1/);
  });

  it('can bring a Pod into another scope', async () => {
    await using world = await openQuotaWorld();
    await world.bound('ends', { hard: { pods: '0' }, scopes: ['Terminating'] });
    await world.bound('stays', { hard: { pods: '5' }, scopes: ['NotTerminating'] });
    await world.create('pods', pod('p'));
    const change = () => world.patch('pods/p', { spec: { activeDeadlineSeconds: 9 } });
    assert.match(refusal(await change()), /exceeded quota: ends, requested: pods=1/);
    await world.patch('resourcequotas/ends', { spec: { hard: { pods: '1' } } });
    await until(async () => (await change()).status === 200, 'room');
    await world.untilUsed('ends', { pods: '1' });
    await world.untilUsed('stays', { pods: '0' });
  });
});

describe('what no quota refuses', () => {
  it('is what the server makes by itself, and it is counted', async () => {
    await using world = await openQuotaWorld();
    await world.bound('q', { hard: { configmaps: '0' } });
    assert.deepEqual(await world.used('q'), { configmaps: '1' });
    assert.equal((await world.create('configmaps', configMap('a'))).status, 403);
    await world.remove('configmaps/kube-root-ca.crt');
    const isBack = async () =>
      (await world.ask('GET', '/api/v1/namespaces/default/configmaps/kube-root-ca.crt')).status ===
      200;
    await until(isBack, 'the ConfigMap');
    await world.untilUsed('q', { configmaps: '1' });
  });

  it('is a Pod that shows what runs already, and it is counted', async () => {
    await using world = await openQuotaWorld();
    await world.bound('q', { hard: { pods: '0', 'limits.cpu': '0' } });
    const shown = await world.create('pods', pod('p'), { user: mirrorUser });
    assert.equal(shown.status, 201);
    await world.untilUsed('q', { 'limits.cpu': '0', pods: '1' });
    assert.equal((await world.create('pods', pod('o'))).status, 403);
  });

  it('is an Event', async () => {
    await using world = await openQuotaWorld();
    await world.bound('q', { hard: { 'count/events': '0', secrets: '1' } });
    const involvedObject = { kind: 'Pod', namespace: 'default', name: 'p' };
    const event = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'e' }, involvedObject };
    assert.equal((await world.create('events', event)).status, 201);
    assert.deepEqual(await world.used('q'), { secrets: '0' });
  });
});

it('a new quota warns of requests beyond its limits, and says nothing else', async () => {
  await using world = await openQuotaWorld();
  const head = { apiVersion: 'v1', kind: 'ResourceQuota' };
  const hard = { 'requests.cpu': '2', 'limits.cpu': '1', memory: '2Gi', 'limits.memory': '1Gi' };
  const warned = await world.create('resourcequotas', {
    ...head,
    metadata: { name: 'w' },
    spec: { hard },
  });
  assert.equal(
    warned.headers.warning,
    '299 - "ResourceQuota requests.cpu (2) should be less than limits.cpu (1)", ' +
      '299 - "ResourceQuota memory (2Gi) should be less than limits.memory (1Gi)"',
  );
  const spec = { hard: { pods: '1', 'requests.cpu': '1', 'limits.cpu': '1' } };
  const quiet = await world.create('resourcequotas', { ...head, metadata: { name: 'q' }, spec });
  assert.equal(quiet.headers.warning, undefined);
  assert.deepEqual(at(quiet.body, '/status'), {});
});
