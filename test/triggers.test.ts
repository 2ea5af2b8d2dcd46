/** Triggers that deliver events, in a real Fnlet: what was accepted is delivered, whatever happens. */
import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createApi } from './api-access.ts';
import { makeDataDirectory, startFnlet } from './fnlet-process.ts';
import { OutsideTarget } from './outside-target.ts';
import { openTriggers } from './trigger-access.ts';
import { until } from './until.ts';

/** Writes down the id and the data of each event. */
function recorder(file: string): string {
  return `
import { appendFileSync } from 'node:fs';
export default async (request) => {
  const id = request.headers.get('ce-id');
  appendFileSync(${JSON.stringify(file)}, id + ' ' + (await request.text()) + '\\n');
  return new Response('kept');
};`;
}

async function linesOf(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

const everySecond = { cron: { schedule: '* * * * * *', data: 'now', missed: 'skip' } };

test('a schedule wakes its Function, each time once', async () => {
  await using fnlet = await startFnlet();
  await using stack = new AsyncDisposableStack();
  const api = stack.adopt(await createApi(fnlet.endpoints.kubeconfig), (each) => each.close());
  const triggers = stack.adopt(await openTriggers(fnlet), (each) => each.close());
  const file = join(fnlet.dataDirectory, 'seen');
  await api.applyFunction('record', { source: { inline: recorder(file) } });
  await triggers.apply('often', { source: everySecond, target: { function: 'record' } });
  const lines = await until(
    async () => {
      const found = await linesOf(file);
      return found.length >= 3 ? found : undefined;
    },
    { what: 'three events' },
  );
  assert.equal(await triggers.ready('often'), 'True Ready');
  assert.match(lines[0] ?? '', /^[-0-9a-f]+\.\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z now$/);
  const ids = lines.map((line) => line.split(' ')[0]);
  assert.equal(new Set(ids).size, ids.length);
  const metrics = await api.getText('/metrics');
  assert.match(
    metrics,
    /fnlet_trigger_events_total\{namespace="default",trigger="often",result="accepted"\} [1-9]/,
  );
  await triggers.delete('often');
});

/** Holds every event back until it is told to go on. */
function reconciler(directory: string): string {
  return `
import { appendFileSync, existsSync } from 'node:fs';
const directory = ${JSON.stringify(directory)};
export default async (request) => {
  const { object } = await request.json();
  appendFileSync(directory + '/runs', object.data.n + '\\n');
  while (!existsSync(directory + '/go')) await new Promise((resolve) => setTimeout(resolve, 10));
  return new Response('done');
};`;
}

test('an update while its reconcile runs leads to one further run, however many come', async () => {
  await using fnlet = await startFnlet();
  await using stack = new AsyncDisposableStack();
  const api = stack.adopt(await createApi(fnlet.endpoints.kubeconfig), (each) => each.close());
  const triggers = stack.adopt(await openTriggers(fnlet), (each) => each.close());
  const directory = fnlet.dataDirectory;
  const runs = join(directory, 'runs');
  await api.applyFunction('reconcile', { source: { inline: reconciler(directory) } });
  await api.applyRole('default', { resources: ['configmaps'], verbs: ['list', 'watch'] });
  await triggers.apply('maps', {
    source: {
      kubernetes: { apiVersion: 'v1', kind: 'ConfigMap', fieldSelector: 'metadata.name=one' },
    },
    target: { function: 'reconcile' },
    delivery: { orderingKey: 'subject', coalesce: true },
  });
  await until(async () => (await triggers.status('maps')).conditions !== undefined, {
    what: 'the Trigger to begin',
  });
  await until(async () => (await triggers.ready('maps')) === 'True Ready', { what: 'Ready' });
  const write = (n: number): Promise<void> =>
    api.applyCore('configmaps', {
      kind: 'ConfigMap',
      name: 'one',
      data: { n: String(n) },
    });
  await write(0);
  await until(async () => (await linesOf(runs)).length === 1, { what: 'the first run' });
  for (let n = 1; n <= 20; n++) await write(n);
  await until(
    async () => /_settled_total\{[^}]*superseded"\} 19/.test(await api.getText('/metrics')),
    {
      what: 'the events between to be passed over',
    },
  );
  await writeFile(join(directory, 'go'), '');
  await until(async () => (await linesOf(runs)).length >= 2, { what: 'the second run' });
  await until(
    async () => /_settled_total\{[^}]*delivered"\} 2/.test(await api.getText('/metrics')),
    {
      what: 'both runs to end',
    },
  );
  assert.deepEqual(await linesOf(runs), ['0', '20']);
});

test('kill -9 loses nothing of what waits for a target that is down', async () => {
  await using outside = new OutsideTarget();
  const url = await outside.listen();
  const dataDirectory = await makeDataDirectory();
  try {
    {
      const fnlet = await startFnlet({ dataDirectory });
      const triggers = await openTriggers(fnlet);
      await triggers.apply('out', { source: everySecond, target: { url } });
      await until(async () => Number((await triggers.status('out')).lag) >= 2, {
        what: 'events to wait',
      });
      await triggers.apply('out', { source: everySecond, target: { url }, paused: true });
      await until(async () => (await triggers.ready('out')) === 'False Paused', { what: 'pause' });
      await triggers.close();
      await fnlet.stop('SIGKILL');
    }
    outside.isOpen = true;
    await using fnlet = await startFnlet({ dataDirectory });
    const triggers = await openTriggers(fnlet);
    const waiting = Number((await triggers.status('out')).lag);
    assert.ok(waiting >= 2, `${waiting}`);
    await triggers.apply('out', { source: everySecond, target: { url }, paused: false });
    await until(() => outside.ids.length >= waiting, { what: 'what waited to come' });
    await triggers.close();
  } finally {
    await rm(dataDirectory, { recursive: true, force: true });
  }
});

test('a Function scales by the events that wait for it, and says so', async () => {
  await using fnlet = await startFnlet();
  await using stack = new AsyncDisposableStack();
  const api = stack.adopt(await createApi(fnlet.endpoints.kubeconfig), (each) => each.close());
  const triggers = stack.adopt(await openTriggers(fnlet), (each) => each.close());
  const go = join(fnlet.dataDirectory, 'go');
  const handler = `
import { existsSync } from 'node:fs';
export default async () => {
  while (!existsSync(${JSON.stringify(go)})) await new Promise((next) => setTimeout(next, 10));
  return 'done';
};`;
  const path = '/apis/fnlet.dev/v1alpha1/namespaces/default/functions/slow';
  const scale = { metrics: [{ lag: { target: 2 } }], max: 3, idleAfter: '1s' };
  await api.applyFunction('slow', { source: { inline: handler }, scale });
  await triggers.apply('often', { source: everySecond, target: { function: 'slow' } });
  const reason = await until(
    async () => {
      const { status = {} } = Object(await api.getJson(path));
      return status.scaling?.to === 3 ? String(status.scaling.reason) : undefined;
    },
    { what: 'three Instances', timeoutMs: 30_000 },
  );
  assert.match(reason, /^lag \d+ for a target of 2/);
  await triggers.delete('often');
  await writeFile(go, '');
  await until(async () => (await api.podsOf('slow')).length === 0, {
    what: 'it to sleep once nothing waits',
    timeoutMs: 30_000,
  });
});
