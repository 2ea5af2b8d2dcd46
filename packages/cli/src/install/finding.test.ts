import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Finding,
  type InstalledFact,
  judgeAccess,
  judgeDns,
  judgeInstallation,
  judgeKinds,
  judgeMetrics,
  judgeStorage,
  judgeVersion,
  judgeWebhooks,
} from './finding.ts';

const strict = { name: 'policy.example', failurePolicy: 'Fail' };

/** What was found, and what is said of it: all that is not well comes with what to do. */
const cases: readonly (readonly [Finding, Finding['state'], RegExp])[] = [
  [judgeVersion('v1.28.0'), 'ok', /v1.28.0/],
  [judgeVersion('v1.36.3+k3s1'), 'ok', /k3s1/],
  [judgeVersion('v1.27.16'), 'fail', /Upgrade the cluster/],
  [judgeVersion('v1.37.0'), 'warn', /1.28 to 1.36/],
  [judgeVersion('v2.0.0'), 'warn', /1.28 to 1.36/],
  [judgeVersion('unknown'), 'warn', /1.28 to 1.36/],
  [judgeVersion('v1.36.0+fnlet'), 'warn', /nothing has to be installed/],
  [judgeAccess([]), 'ok', /all/],
  [judgeAccess(['create deployments.apps']), 'fail', /deployments.apps.*cluster-admin/s],
  [judgeKinds([]), 'ok', /all/],
  [judgeKinds(['Lease (coordination.k8s.io/v1)']), 'fail', /Lease.*api-resources/s],
  [judgeWebhooks([]), 'ok', /none/],
  [judgeWebhooks([{ ...strict, resources: ['ingresses'] }]), 'ok', /none/],
  [judgeWebhooks([{ ...strict, failurePolicy: 'Ignore', resources: ['*'] }]), 'ok', /none/],
  [judgeWebhooks([{ ...strict, resources: ['pods'] }]), 'warn', /policy.example.*leave out/s],
  [judgeWebhooks([{ ...strict, resources: ['*'] }]), 'warn', /policy.example/],
  [judgeWebhooks([{ ...strict, resources: ['*/*'] }]), 'warn', /policy.example/],
  [judgeDns(2), 'ok', /2 servers/],
  [judgeDns(0), 'fail', /kube-system get pods/],
  [judgeDns(undefined), 'warn', /no Service.*kube-system get pods/s],
  [judgeStorage({ classes: ['fast'], fallback: 'fast' }), 'ok', /fast/],
  [judgeStorage({ classes: ['fast'], fallback: undefined }), 'warn', /no default.*storageClass/s],
  [judgeStorage({ classes: [], fallback: undefined }), 'warn', /no StorageClass/],
  [judgeMetrics(true), 'ok', /metrics.k8s.io/],
  [judgeMetrics(false), 'warn', /Install metrics-server/],
];

for (const [finding, state, says] of cases) {
  test(`${finding.check}: ${finding.found} is ${state}`, () => {
    assert.equal(finding.state, state);
    assert.match(`${finding.found}\n${finding.remedy ?? ''}`, says);
    assert.equal(
      finding.remedy === undefined,
      state === 'ok',
      'what to do, where there is something',
    );
  });
}

const whole: InstalledFact = {
  namespace: 'fnlet-system',
  definitions: [{ name: 'functions.fnlet.dev', established: true }],
  definitionsWanted: 1,
  parts: [{ name: 'fnlet-controller', done: true, text: 'fnlet-controller 2/2' }],
  leader: 'one',
  authority: true,
};

function failed(changed: Partial<InstalledFact>): readonly (readonly [string, string])[] {
  return judgeInstallation({ ...whole, ...changed }).flatMap(({ check, state, remedy = '' }) =>
    state === 'ok' ? [] : [[check, remedy] as const],
  );
}

test('judgeInstallation() says of each part what to do', () => {
  assert.deepEqual(failed({}), []);
  assert.deepEqual(failed({ parts: [] }), [['installation', 'fnlet install brings it']]);
  assert.deepEqual(failed({ definitionsWanted: 2 }), [
    ['definitions', 'fnlet upgrade brings them'],
  ]);
  const nats = { name: 'fnlet-nats', done: false, text: 'fnlet-nats 0/1' };
  assert.deepEqual(failed({ parts: [...whole.parts, nats] }), [
    ['fnlet-nats', 'kubectl -n fnlet-system describe pods -l app.kubernetes.io/name=fnlet-nats'],
  ]);
  assert.deepEqual(failed({ leader: undefined }), [
    ['leader', 'kubectl -n fnlet-system logs deployment/fnlet-controller'],
  ]);
  assert.match(failed({ authority: false })[0]?.[1] ?? '', /replica that leads/);
});
