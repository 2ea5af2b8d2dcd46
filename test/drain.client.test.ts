/** `kubectl cordon`, `drain` and `uncordon` of the one Node, on real processes. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

let fnlet: FnletProcess;
before(async () => {
  fnlet = await startFnlet({ args: ['--allow-host-commands'] });
});
after(() => fnlet[Symbol.asyncDispose]());

async function kubectl(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await fnlet.kubectl(args);
  assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
}

async function apply(...items: object[]): Promise<void> {
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  const { code, stderr } = await fnlet.kubectl(['apply', '-f', '-'], { input });
  assert.equal(code, 0, stderr);
}

const selector = { matchLabels: { app: 'web' } };

const web = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector,
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'main', image: 'x', command: ['sleep', '600'] }],
      },
    },
  },
};

const budget = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'web' },
  spec: { minAvailable: 1, selector },
};

test('a drained Node keeps what its budgets protect, and is filled again afterwards', async () => {
  await apply(web, budget);
  await kubectl('rollout', 'status', 'deployment/web', '--timeout=30s');
  const allowed = (count: number): string[] => [
    'wait',
    `--for=jsonpath={.status.disruptionsAllowed}=${count}`,
    'pdb/web',
    '--timeout=30s',
  ];
  await kubectl(...allowed(1));
  assert.match(await kubectl('get', 'pdb', 'web'), /web\s+1\s+N\/A\s+1\s/);
  const node = (await kubectl('get', 'nodes', '-o', 'name')).trim().replace('node/', '');

  const held = await fnlet.kubectl(['drain', node, '--ignore-daemonsets', '--timeout=8s']);
  assert.equal(held.code, 1);
  assert.match(held.stdout, new RegExp(`node/${node} cordoned`));
  assert.match(held.stderr, /Cannot evict pod as it would violate the pod's disruption budget/);
  assert.match(held.stderr, /global timeout reached: 8s/);
  assert.match(await kubectl('get', 'node', node), /Ready,SchedulingDisabled/);
  const ready = async (): Promise<string> =>
    kubectl('get', 'deployment', 'web', '-o', 'jsonpath={.status.readyReplicas}');
  assert.equal(await ready(), '1');
  const events = await kubectl('get', 'events');
  assert.match(events, /FailedScheduling.*1 node\(s\) were unschedulable/);

  await kubectl('delete', 'pdb', 'web');
  const drained = await kubectl('drain', node, '--ignore-daemonsets', '--timeout=30s');
  assert.match(drained, new RegExp(`node/${node} drained`));
  await until(async () => (await ready()) === '', { what: 'no Pod to be ready' });

  await kubectl('uncordon', node);
  await kubectl('wait', '--for=condition=Available', 'deployment/web', '--timeout=30s');
  assert.doesNotMatch(await kubectl('get', 'node', node), /SchedulingDisabled/);
  await kubectl('delete', 'deployment', 'web');
});

test('a drain asks before it takes Pods that nobody makes again', async () => {
  const containers = [{ name: 'main', image: 'x', command: ['sleep', '600'] }];
  const spec = { terminationGracePeriodSeconds: 1, containers };
  await apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'alone' }, spec });
  await kubectl('wait', '--for=condition=Ready', 'pod/alone', '--timeout=30s');
  const node = (await kubectl('get', 'nodes', '-o', 'name')).trim().replace('node/', '');
  const { code, stderr } = await fnlet.kubectl(['drain', node, '--timeout=20s']);
  assert.equal(code, 1);
  assert.match(stderr, /cannot delete.* Pods that declare no controller.*default\/alone/);
  await kubectl('drain', node, '--force', '--timeout=30s');
  assert.equal(await kubectl('get', 'pods', '-o', 'name'), '');
  await kubectl('uncordon', node);
});
