/** Events kept by a real NATS: what was accepted is delivered, whoever dies meanwhile. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import { NatsCluster } from '../packages/store/test/nats-cluster.ts';
import { findNatsPrograms, NatsServer } from '../packages/store/test/nats-server.ts';
import { type FnletProcess, makeDataDirectory, startFnlet } from './fnlet-process.ts';
import { OutsideTarget } from './outside-target.ts';
import { openTriggers } from './trigger-access.ts';
import { until } from './until.ts';

const [program] = findNatsPrograms();
const skip = program === undefined && 'no nats-server is on this machine';

test('events in NATS outlive Fnlet and the NATS server', { skip }, async () => {
  assert.ok(program !== undefined);
  await using nats = await NatsServer.start(program);
  await using outside = new OutsideTarget();
  const url = await outside.listen();
  const dataDirectory = await makeDataDirectory();
  const args = ['--events-log', `${nats.url}?name=house`];
  const schedule = { cron: { schedule: '* * * * * *', data: 'now', missed: 'skip' } };
  const spec = { source: schedule, target: { url } };
  const lag = async (triggers: Awaited<ReturnType<typeof openTriggers>>): Promise<number> =>
    Number((await triggers.status('out')).lag);
  try {
    {
      await using stack = new AsyncDisposableStack();
      const fnlet = await startFnlet({ dataDirectory, args });
      stack.defer(async () => void (await fnlet.stop('SIGKILL')));
      const triggers = await openTriggers(fnlet);
      await triggers.apply('out', spec);
      await until(async () => (await lag(triggers)) >= 2, { what: 'events to wait' });
      await nats.stop('SIGKILL');
      await nats.start();
      const before = await lag(triggers);
      await until(async () => (await lag(triggers)) > before, { what: 'more events to wait' });
      await triggers.apply('out', { ...spec, paused: true });
      await until(async () => (await triggers.ready('out')) === 'False Paused', { what: 'pause' });
      assert.match(fnlet.output(), /acknowledged by NATS may be lost when power fails/);
      await triggers.close();
      await fnlet.stop('SIGKILL');
    }
    outside.isOpen = true;
    await using fnlet = await startFnlet({ dataDirectory, args });
    const triggers = await openTriggers(fnlet);
    const waiting = await lag(triggers);
    assert.ok(waiting >= 3, `${waiting}`);
    await triggers.apply('out', { ...spec, paused: false });
    await until(() => outside.ids.length >= waiting, { what: 'what waited to come' });
    await triggers.close();
  } finally {
    await rm(dataDirectory, { recursive: true, force: true });
  }
});

test('events in three NATS servers outlive any one of them, and Fnlet', { skip }, async () => {
  assert.ok(program !== undefined);
  await using cluster = await NatsCluster.start(program);
  await using outside = new OutsideTarget();
  const url = await outside.listen();
  const dataDirectory = await makeDataDirectory();
  const args = ['--events-log', `${cluster.urls.join(',')}?replicas=3&name=house`];
  const source = { http: { paths: [{ exact: '/in' }], events: {} } };
  const accepted: string[] = [];
  /** What is not answered 202 is sent again, as senders do. */
  const send = async (fnlet: FnletProcess, count: number): Promise<void> => {
    for (let each = 0; each < count; each++) {
      const id = `${accepted.length}`;
      const headers = { 'ce-specversion': '1.0', 'ce-id': id, 'ce-source': '/s', 'ce-type': 't' };
      const isAccepted = async (): Promise<boolean> => {
        const sent = { method: 'POST', headers, signal: AbortSignal.timeout(10_000) };
        return (await fetch(`${fnlet.endpoints.gateway}/in`, sent)).status === 202;
      };
      await until(isAccepted, { what: `event ${id} to be accepted`, timeoutMs: 60_000 });
      accepted.push(id);
    }
  };
  try {
    {
      await using stack = new AsyncDisposableStack();
      const fnlet = await startFnlet({ dataDirectory, args });
      stack.defer(async () => void (await fnlet.stop('SIGKILL')));
      const triggers = await openTriggers(fnlet);
      await triggers.apply('out', { source, target: { url } });
      await triggers.close();
      await send(fnlet, 20);
      for (const server of cluster.servers) {
        await server.stop('SIGKILL');
        await send(fnlet, 20);
        await server.start();
        await send(fnlet, 5);
        // Before it has caught up, the next one would be the second that is lost, of three.
        await until(() => server.isHealthy(), { what: 'it to be back', timeoutMs: 60_000 });
      }
      await fnlet.stop('SIGKILL');
    }
    outside.isOpen = true;
    await using fnlet = await startFnlet({ dataDirectory, args });
    await send(fnlet, 5);
    const arrived = (): boolean => new Set(outside.ids).size === accepted.length;
    await until(arrived, { what: 'all events', timeoutMs: 60_000 });
    assert.deepEqual(new Set(outside.ids), new Set(accepted));
  } finally {
    await rm(dataDirectory, { recursive: true, force: true });
  }
});
