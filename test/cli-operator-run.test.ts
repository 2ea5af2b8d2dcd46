/** An operator as a process of its own: by the command, and by itself with `node operator.ts`. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { exitCodes } from '../packages/cli/src/exit-codes.ts';
import { runProgram } from './fnlet-process.ts';
import { fnletProgram, type OperatorWorkshop, openOperatorWorkshop } from './operator-workshop.ts';
import { until } from './until.ts';

const greeting = `import { ConfigMap, defineKind, field, operator, ready, run } from 'fnlet/operator';

export const Greeting = defineKind({
  group: 'example.dev', version: 'v1', kind: 'Greeting', description: 'A greeting.',
  spec: { name: field.text('Who.') },
});

const greetings = operator(Greeting, {
  owns: [ConfigMap],
  reconcile: ({ object }) => ({
    children: [ConfigMap.of({
      metadata: { name: object.metadata.name },
      data: { text: 'Hello, ' + object.spec.name + '!' },
    })],
    conditions: [ready()],
  }),
});
export default greetings;

if (import.meta.main) await run(greetings, { healthPort: 0, leaderElection: true });
`;

const greetingType: ResourceType = {
  group: 'example.dev',
  version: 'v1',
  kind: 'Greeting',
  plural: 'greetings',
  namespaced: true,
};
const leaseType = {
  ...greetingType,
  group: 'coordination.k8s.io',
  kind: 'Lease',
  plural: 'leases',
};

let shop: OperatorWorkshop;
before(async () => {
  shop = await openOperatorWorkshop(greeting);
});
after(() => shop[Symbol.asyncDispose]());

async function greet(name: string): Promise<void> {
  const metadata = { name, namespace: 'default' };
  const object = { apiVersion: 'example.dev/v1', kind: 'Greeting', metadata, spec: { name } };
  const greetings = shop.client.of<KubeObject>(greetingType);
  await until(() => greetings.create(object), { what: 'greetings to be served' });
}

test('fnlet operator run installs the kind, runs the operator, and ends when it is asked', async () => {
  const args = [fnletProgram, 'operator', 'run', 'greeting.ts', '--log-level', 'debug'];
  await using running = shop.run(...args);
  await greet('ada');
  await until(async () => (await shop.textOf('ada')) === 'Hello, ada!', { what: 'the greeting' });
  const trace = /Reconciled .*key=default\/ada .*traceId=[0-9a-f]{32} .*tookMs=.* childrenMs=/;
  await until(async () => trace.test(running.said()), { what: 'the trace of the run' });
  assert.equal(await running.stop('SIGINT'), 0, running.said());
});

test('node operator.ts leads, tells its health and metrics, and gives the Lease back', async () => {
  await using running = shop.run('greeting.ts');
  await greet('bob');
  await until(async () => (await shop.textOf('bob')) === 'Hello, bob!', { what: 'the greeting' });
  const port = /metrics port=(\d+)/.exec(running.said())?.[1];
  const page = async (path: string): Promise<string> =>
    (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  assert.equal(await page('/healthz'), 'ok');
  assert.equal(await page('/readyz'), 'ok');
  const metrics = await page('/metrics');
  assert.match(metrics, /^leader_election_master_status\{name="greetings\.example\.dev"\} 1$/m);
  assert.match(metrics, /^fnlet_writes_total\{verb="PATCH",code="201"\} \d+$/m);
  assert.match(metrics, /^fnlet_cache_objects\{resource="greetings\.example\.dev"\} [12]$/m);
  assert.match(metrics, /^workqueue_adds_total\{controller="greetings\.example\.dev"/m);
  assert.equal(await running.stop(), 0, running.said());
  const key = { namespace: 'default', name: 'greetings.example.dev' };
  const lease = await shop.client
    .of<KubeObject & { readonly spec?: { readonly holderIdentity?: string } }>(leaseType)
    .get(key);
  assert.equal(lease.spec?.holderIdentity ?? '', '');
});

test('replicas that share by shards run every object once', async () => {
  const args = [fnletProgram, 'operator', 'run', 'greeting.ts', '--shards', '--no-install'];
  await using first = shop.run(...args);
  await using second = shop.run(...args);
  for (const name of ['carl', 'dora', 'emil', 'fritz']) await greet(name);
  for (const name of ['carl', 'dora', 'emil', 'fritz']) {
    await until(async () => (await shop.textOf(name)) === `Hello, ${name}!`, { what: name });
  }
  assert.deepEqual(await Promise.all([first.stop(), second.stop()]), [0, 0], first.said());
});

test('what cannot be run is refused with what to do', async () => {
  const { fnlet, cwd } = shop;
  const both = await fnlet.cli(['operator', 'run', 'greeting.ts', '--leader-elect', '--shards'], {
    cwd,
  });
  assert.equal(both.code, exitCodes.usage, both.stderr);
  await writeFile(
    join(cwd, 'kind.ts'),
    (await readFile(join(cwd, 'greeting.ts'), 'utf8')).split('const greetings')[0] ?? '',
  );
  const none = await fnlet.cli(['operator', 'run', 'kind.ts'], { cwd });
  assert.match(none.stderr, /Cannot run "kind\.ts": it exports kinds, but no operator/);
  const port = await fnlet.cli(['operator', 'run', 'greeting.ts', '--health-port', 'x'], { cwd });
  assert.equal(port.code, exitCodes.usage);
  const nowhere = await runProgram(process.execPath, ['greeting.ts'], {
    cwd,
    env: { KUBECONFIG: join(cwd, 'missing'), PATH: process.env.PATH ?? '' },
  });
  assert.notEqual(nowhere.code, 0);
  assert.match(nowhere.stderr, /Cannot read kubeconfig|Start Fnlet here/);
});
