import assert from 'node:assert/strict';
import { it } from 'node:test';
import { at, objectAt, textAt } from './at.ts';
import { type OpenedServer, openServer } from './opened-server.ts';

const pods = '/api/v1/namespaces/default/pods';
const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const contentType = 'application/merge-patch+json';

async function runPod(server: OpenedServer, name: string, isReady = true): Promise<void> {
  const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'img:1' }] };
  const metadata = { name, labels: { app: 'web' } };
  await server.ask('POST', pods, { body: { apiVersion: 'v1', kind: 'Pod', metadata, spec } });
  const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }];
  const body = { status: { phase: 'Running', conditions } };
  await server.ask('PATCH', `${pods}/${name}/status`, { body, contentType });
}

async function setBudget(server: OpenedServer, name: string, status?: object): Promise<void> {
  const spec = { minAvailable: 1, selector: { matchLabels: { app: 'web' } } };
  const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name }, spec };
  await server.ask('POST', budgets, { body: budget });
  if (status === undefined) return;
  await server.ask('PATCH', `${budgets}/${name}/status`, { body: { status }, contentType });
}

function evict(server: OpenedServer, name: string, deleteOptions: object = {}) {
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name }, deleteOptions };
  return server.ask('POST', `${pods}/${name}/eviction`, { body });
}

const healthy = { observedGeneration: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 };

it('evicts a Pod that no budget protects', async () => {
  await using server = await openServer();
  await runPod(server, 'p');
  assert.equal((await evict(server, 'p', { gracePeriodSeconds: 0 })).status, 201);
  assert.equal((await server.ask('GET', `${pods}/p`)).status, 404);
  assert.equal((await evict(server, 'p')).status, 404);
});

it('refuses an eviction that names another Pod', async () => {
  await using server = await openServer();
  await runPod(server, 'p');
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'q' } };
  const { status, body } = await server.ask('POST', `${pods}/p/eviction`, { body: eviction });
  assert.equal(status, 400);
  assert.equal(at(body, '/message'), 'name in URL does not match name in Eviction object');
  assert.equal((await server.ask('GET', `${pods}/p`)).status, 200);
});

it('evicts what the budget allows, and no more', async () => {
  await using server = await openServer();
  await setBudget(server, 'b', { ...healthy, disruptionsAllowed: 1 });
  await runPod(server, 'p');
  await runPod(server, 'q');
  assert.equal((await evict(server, 'p', { dryRun: ['All'] })).status, 201);
  assert.equal((await evict(server, 'p')).status, 201);
  const { body: budget } = await server.ask('GET', `${budgets}/b`);
  assert.equal(at(budget, '/status/disruptionsAllowed'), 0);
  assert.deepEqual(Object.keys(objectAt(budget, '/status/disruptedPods')), ['p']);
  const { status, body } = await evict(server, 'q');
  assert.equal(status, 429);
  assert.equal(
    at(body, '/message'),
    "Cannot evict pod as it would violate the pod's disruption budget.",
  );
  assert.deepEqual(at(body, '/details/causes'), [
    {
      reason: 'DisruptionBudget',
      message: 'The disruption budget b does not allow evicting pods currently',
    },
  ]);
  assert.equal(at(body, '/details/retryAfterSeconds'), undefined);
  assert.equal(at(budget, '/status/conditions/0/reason'), 'InsufficientPods');
  assert.equal(
    at((await server.ask('GET', `${pods}/q`)).body, '/metadata/deletionTimestamp'),
    undefined,
  );
});

it('says why a budget lets nothing go', async () => {
  await using server = await openServer();
  await runPod(server, 'p');
  const failed = { type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed' };
  const cases: readonly [object, string][] = [
    [{ currentHealthy: 1 }, 'needs 1 healthy pods and has 1 currently'],
    [
      { conditions: [{ ...failed, message: 'no scale' }] },
      'does not allow evicting pods currently because it failed sync: no scale',
    ],
    [
      { conditions: [{ ...failed, reason: 'Held', message: 'by hand' }] },
      'does not allow evicting pods currently (Held): by hand',
    ],
  ];
  await setBudget(server, 'b');
  for (const [status, why] of cases) {
    const body = { status: { ...healthy, disruptionsAllowed: 0, ...status } };
    await server.ask('PATCH', `${budgets}/b/status`, { body, contentType });
    const answer = await evict(server, 'p');
    assert.equal(answer.status, 429);
    const message = at(answer.body, '/details/causes/0/message');
    assert.equal(message, `The disruption budget b ${why}`);
  }
});

it('waits for whoever keeps the budget, but lets unready Pods go', async () => {
  await using server = await openServer();
  await setBudget(server, 'b');
  await runPod(server, 'p');
  const { status, body } = await evict(server, 'p');
  assert.equal(status, 429);
  const text = 'The disruption budget b is still being processed by the server.';
  assert.equal(at(body, '/details/causes/0/message'), text);
  assert.equal(at(body, '/details/retryAfterSeconds'), 10);
  await setBudget(server, 'b', { ...healthy, disruptionsAllowed: 0 });
  await runPod(server, 'sick', false);
  assert.equal((await evict(server, 'sick')).status, 201);
});

it('refuses a Pod with two budgets', async () => {
  await using server = await openServer();
  await setBudget(server, 'a');
  await setBudget(server, 'b');
  await runPod(server, 'p');
  const { status, body } = await evict(server, 'p');
  assert.equal(status, 500);
  assert.match(textAt(body, '/message'), /more than one PodDisruptionBudget/);
});

it('says plainly what of Pods is not served yet', async () => {
  await using server = await openServer();
  await runPod(server, 'p');
  const { status, body } = await server.ask('GET', `${pods}/p/resize`);
  assert.equal(status, 501);
  assert.match(textAt(body, '/message'), /does not serve pods\/resize yet/);
});
