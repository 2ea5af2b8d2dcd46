/**
 * Replicas in processes of their own, which share Triggers by Leases of one API and events by a log
 * in a real NATS server: where one leaves or is killed, the other goes on.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { functionCrd, functionType, type TriggerObject, triggerCrd, triggerType } from '@fnlet/api';
import { isJsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { startTestCluster } from '@fnlet/testing';
import { lacksNatsServer, NatsServer } from './nats-server.ts';
import { until } from './until.ts';

const program = join(import.meta.dirname, 'replica-program.ts');
const triggers = ['a', 'b', 'c', 'd', 'e', 'f'];
const periodMs = 1_000;
// A Lease of a silent replica is taken over after fifteen seconds.
const timeoutMs = 60_000;

interface Delivered {
  readonly replica: string;
  readonly id: string;
  readonly trigger: string;
  readonly dueMs: number;
}

class Replica {
  readonly name: string;
  readonly #child: ChildProcess;

  constructor(name: string, world: World) {
    this.name = name;
    this.#child = spawn(process.execPath, [program, world.kubeconfig, world.nats, name], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (this.#child.stdout === null) throw new Error('a child without standard output');
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const told: unknown = JSON.parse(line);
      assert.ok(isJsonObject(told));
      const { id, trigger, time } = told;
      const dueMs = Date.parse(String(time));
      world.seen.push({ replica: name, id: String(id), trigger: String(trigger), dueMs });
    });
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const closed = once(this.#child, 'close');
    this.#child.kill(signal);
    await closed;
  }
}

interface World {
  readonly kubeconfig: string;
  readonly nats: string;
  /** In the order in which it came to this process. */
  readonly seen: Delivered[];
}

/** Each time of each schedule came, and in order: what came again was the killed replica's. */
function check(seen: readonly Delivered[], killed: string): void {
  const groups = Map.groupBy(seen, ({ trigger }) => trigger);
  assert.equal(groups.size, triggers.length, 'each Trigger has delivered');
  for (const [trigger, all] of groups) {
    const due = new Set(all.map(({ dueMs }) => dueMs));
    const last = Math.max(...due);
    for (let dueMs = Math.min(...due); dueMs <= last; dueMs += periodMs) {
      assert.ok(
        due.has(dueMs),
        `${trigger}: the event of ${new Date(dueMs).toISOString()} is lost`,
      );
    }
    const first = new Map<string, Delivered>();
    let newestMs = 0;
    for (const one of all) {
      const before = first.get(one.id);
      if (before === undefined) {
        assert.ok(one.dueMs > newestMs, `${trigger}: an event came after a later one`);
        newestMs = one.dueMs;
        first.set(one.id, one);
      } else assert.equal(before.replica, killed, `${trigger}: ${one.id} came twice`);
    }
  }
}

test('two processes share Triggers; what one leaves or dies with, the other takes over', {
  skip: lacksNatsServer,
}, async () => {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'fnlet-replicas-'));
  stack.defer(() => rm(directory, { recursive: true }));
  const nats = stack.use(await NatsServer.start());
  const objects = [functionCrd, triggerCrd];
  const cluster = stack.use(await startTestCluster({ clock: 'system', objects, listen: true }));
  const kubeconfig = join(directory, 'kubeconfig');
  await writeFile(kubeconfig, await cluster.kubeconfig());
  const metadata = { namespace: 'default', name: 'target' };
  const apiVersion = 'fnlet.dev/v1alpha1';
  const target = { apiVersion, kind: 'Function', metadata };
  await cluster.client
    .of<KubeObject>(functionType)
    .create(Object({ ...target, spec: { runtime: 'nodejs24', source: { inline: 'x' } } }));
  const spec = {
    source: { cron: { schedule: '* * * * * *', missed: 'all' } },
    target: { function: 'target' },
    delivery: { orderingKey: 'source' },
  };
  for (const name of triggers) {
    const object = { apiVersion, kind: 'Trigger', metadata: { ...metadata, name }, spec };
    await cluster.client.of<TriggerObject>(triggerType).apply(Object(object), { force: true });
  }

  const world: World = { kubeconfig, nats: nats.url, seen: [] };
  const { seen } = world;
  const start = (name: string): Replica => {
    const replica = new Replica(name, world);
    stack.defer(() => replica.end('SIGKILL'));
    return replica;
  };
  const shares = (...names: readonly string[]) => {
    const from = seen.length;
    return until(
      () => {
        const newer = seen.slice(from);
        const whole = new Set(newer.map(({ trigger }) => trigger)).size === triggers.length;
        return whole && names.every((name) => newer.some(({ replica }) => replica === name));
      },
      { what: `${names.join(' and ')} to deliver`, timeoutMs },
    );
  };
  const one = start('one');
  await shares('one');
  const two = start('two');
  await shares('one', 'two');
  await one.end('SIGTERM');
  await shares('two');
  const killed = seen.length;
  assert.deepEqual(new Set(seen.map(({ id }) => id)).size, killed, 'nothing came twice so far');
  start('three');
  await shares('two', 'three');
  await two.end('SIGKILL');
  await shares('three');
  check(seen, 'two');
});
