import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createScriptedTransport } from '../../test/scripted-transport.ts';
import { createOperatorMetrics } from './operator-metrics.ts';

const quiet = { depth: 0, running: 0, longestRunningMs: 0, unfinishedMs: 0 };

function linesOf(text: string, name: string): string[] {
  return text.split('\n').filter((line) => line.startsWith(name));
}

test('a controller is counted under the names of controller-runtime and client-go', () => {
  const metrics = createOperatorMetrics();
  const observer = metrics.observe('sites');
  observer.added();
  observer.added();
  observer.taken(20);
  observer.reconciled('done', 30);
  observer.finished(31);
  observer.retried();
  observer.reconciled('failed', 700);
  observer.reconciled('terminal', 1);
  const text = metrics.text();
  const queue = '{controller="sites",name="sites"}';
  assert.deepEqual(linesOf(text, 'workqueue_adds_total'), [`workqueue_adds_total${queue} 2`]);
  assert.deepEqual(linesOf(text, 'workqueue_retries_total'), [`workqueue_retries_total${queue} 1`]);
  assert.match(text, /^workqueue_queue_duration_seconds_sum\{.*\} 0\.02$/m);
  assert.match(text, /^workqueue_work_duration_seconds_count\{.*\} 1$/m);
  assert.deepEqual(linesOf(text, 'controller_runtime_reconcile_total'), [
    'controller_runtime_reconcile_total{controller="sites",result="success"} 1',
    'controller_runtime_reconcile_total{controller="sites",result="error"} 2',
  ]);
  assert.match(text, /^controller_runtime_reconcile_errors_total\{controller="sites"\} 2$/m);
  assert.match(text, /^controller_runtime_terminal_reconcile_errors_total\{.*\} 1$/m);
  assert.match(text, /^controller_runtime_reconcile_time_seconds_bucket\{.*le="0.05"\} 2$/m);
});

test('what stands now is read when it is asked for', () => {
  const metrics = createOperatorMetrics();
  let stats = quiet;
  metrics.add({ name: 'sites', stats: () => stats });
  stats = { depth: 3, running: 2, longestRunningMs: 1500, unfinishedMs: 2000 };
  const text = metrics.text();
  assert.match(text, /^workqueue_depth\{.*\} 3$/m);
  assert.match(text, /^workqueue_longest_running_processor_seconds\{.*\} 1\.5$/m);
  assert.match(text, /^workqueue_unfinished_work_seconds\{.*\} 2$/m);
  assert.match(text, /^controller_runtime_active_workers\{controller="sites"\} 2$/m);
});

test('a controller that is removed leaves no series behind, and takes none of others along', () => {
  const metrics = createOperatorMetrics();
  for (const name of ['sites', 'pages']) {
    const observer = metrics.observe(name);
    metrics.add({ name, stats: () => quiet });
    observer.added();
    observer.taken(1);
    observer.finished(2);
    observer.retried();
    observer.reconciled('failed', 3);
  }
  metrics.remove({ name: 'sites' });
  const text = metrics.text();
  assert.doesNotMatch(text, /sites/);
  assert.match(text, /^workqueue_depth\{controller="pages",name="pages"\} 0$/m);
  assert.match(text, /^controller_runtime_reconcile_time_seconds_count\{controller="pages"\} 1$/m);
});

test('leadership is told only where there is an election', () => {
  assert.doesNotMatch(createOperatorMetrics().text(), /leader_election/);
  let leads = false;
  const election = { name: 'site-operator', isLeader: (): boolean => leads };
  const metrics = createOperatorMetrics({ election });
  assert.match(metrics.text(), /^leader_election_master_status\{name="site-operator"\} 0$/m);
  leads = true;
  assert.match(metrics.text(), /^leader_election_master_status\{name="site-operator"\} 1$/m);
});

test('writes are counted by what became of them, reads and dry runs are not', async () => {
  const metrics = createOperatorMetrics();
  let isDown = false;
  const transport = metrics.countWrites(
    createScriptedTransport(() => {
      if (isDown) throw new Error('down');
      return {};
    }),
  );
  await transport.request({ method: 'GET', path: '/api/v1/pods' });
  await transport.request({ method: 'PATCH', path: '/api/v1/pods/a', query: { dryRun: 'All' } });
  await transport.request({ method: 'PATCH', path: '/api/v1/pods/a' });
  isDown = true;
  await assert.rejects(transport.request({ method: 'DELETE', path: '/api/v1/pods/a' }));
  assert.deepEqual(linesOf(metrics.text(), 'fnlet_writes_total'), [
    'fnlet_writes_total{verb="PATCH",code="200"} 1',
    'fnlet_writes_total{verb="DELETE",code="0"} 1',
  ]);
});

test('children with nothing to write are counted as suppressed writes', () => {
  const metrics = createOperatorMetrics();
  const child = { group: '', kind: 'ConfigMap', namespace: 'a', name: 'b' };
  metrics.countSuppressed([
    { child, key: 'a', kind: 'skipped', reason: 'Same' },
    { child, key: 'b', kind: 'skipped', reason: 'Stale' },
    { child, key: 'c', kind: 'pruned' },
  ]);
  assert.match(metrics.text(), /^fnlet_writes_suppressed_total 1$/m);
});
