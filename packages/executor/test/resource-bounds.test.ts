// What Instances may use, kept by the kernel's control groups and, where there are none, by looking.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { sha256, systemClock } from '@fnlet/base';
import { findCgroupHierarchy } from '../src/cgroup.ts';
import type { InstanceEvent } from '../src/executor.ts';
import { limits } from '../src/limits.ts';
import type { ProcessExecutorOptions } from '../src/process-executor.ts';
import { readProcessTable } from '../src/process-table.ts';
import { createProcessHarness, waitUntil } from './process-harness.ts';
import { revisionFixture } from './revision-fixture.ts';

const mebibyte = 1024 * 1024;

const hierarchy = findCgroupHierarchy(`fnlet-test-${process.pid}`);
hierarchy?.remove();
const noGroups = hierarchy === undefined ? 'this user may make no control groups' : false;
const noSessions = existsSync('/proc/self/autogroup')
  ? false
  : 'the kernel groups no processes by session';
const notLinux = process.platform === 'linux' ? false : 'only the /proc of Linux tells';

/** Events of a Revision that hoards, beside one of another that does not. */
async function hoard(
  handler: string,
  changes: Partial<ProcessExecutorOptions>,
): Promise<readonly InstanceEvent[]> {
  await using harness = createProcessHarness(changes);
  const { executor } = harness;
  const events: InstanceEvent[] = [];
  executor.subscribe((event) => events.push(event));
  const resources = { memoryBytesMax: 128 * mebibyte };
  executor.ensure(
    revisionFixture({ revision: 'hoards', id: 'default/hoards', handler, resources }),
    1,
  );
  executor.ensure(revisionFixture({ revision: 'frugal', id: 'default/frugal', resources }), 1);
  const isFull = (event: InstanceEvent): boolean => event.instance.lastExit?.outOfMemory === true;
  await waitUntil(() => events.some(isFull));
  const [frugal] = executor.instances('default/frugal');
  assert.equal(frugal?.restarts, 0, 'nobody else is ended');
  return events;
}

function assertKilled(events: readonly InstanceEvent[]): void {
  const crashed = events.find(({ kind }) => kind === 'crashed');
  assert.equal(crashed?.instance.revision.revision, 'hoards');
  assert.equal(crashed?.instance.lastExit?.signal, 'SIGKILL');
}

test('the kernel ends an Instance that uses more memory than it may', {
  skip: noGroups,
}, async () => {
  assertKilled(await hoard('hoarding', {}));
});

test('without control groups such an Instance is found', { skip: notLinux }, async () => {
  assertKilled(await hoard('hoarding', { findHierarchy: () => undefined }));
});

test('what an Instance starts counts, too', { skip: notLinux }, async () => {
  assertKilled(await hoard('hoardingElsewhere', { findHierarchy: () => undefined }));
});

test('an Instance uses no more CPU than it may, and nothing is left', {
  skip: noGroups,
}, async () => {
  await using harness = createProcessHarness();
  const { executor, directory } = harness;
  const resources = { cpuCoresMax: 0.2 };
  executor.ensure(revisionFixture({ handler: 'busy', resources }), 1);
  await waitUntil(() => executor.instances().some(({ phase }) => phase === 'ready'));
  const [instance] = executor.instances();
  const usedMs = async (): Promise<number> =>
    (await readProcessTable()).find(({ pid }) => pid === instance?.pid)?.cpuMs ?? 0;
  const [cpuMs, sinceMs] = [await usedMs(), systemClock.monotonicMs()];
  let used = 0;
  while (used < 100) used = (await usedMs()) - cpuMs;
  const cores = used / (systemClock.monotonicMs() - sinceMs);
  assert.ok(cores < 0.4, `${cores} cores`);
  executor.ensure(revisionFixture({ handler: 'busy', resources }), 0);
  await executor.close(0);
  const again = findCgroupHierarchy(`fnlet-${sha256(directory).slice(0, 12)}`);
  again?.remove();
  assert.ok(again !== undefined);
});

test('without control groups an Instance with a CPU limit stands behind other sessions', {
  skip: noSessions,
}, async () => {
  await using harness = createProcessHarness({ findHierarchy: () => undefined });
  const { executor } = harness;
  const resources = { cpuCoresMax: 0.2 };
  executor.ensure(revisionFixture({ id: 'default/bounded', resources }), 1);
  executor.ensure(revisionFixture({ id: 'default/free' }), 1);
  const pidOf = (id: string): number | undefined => executor.instances(id)[0]?.pid;
  const sessionOf = (id: string): string =>
    readFileSync(`/proc/${pidOf(id)}/autogroup`, 'latin1').replace(/^.*nice/, 'nice');
  await waitUntil(() => executor.instances().filter(({ phase }) => phase === 'ready').length === 2);
  assert.equal(getPriority(pidOf('default/bounded')), limits.boundedNiceness);
  await waitUntil(() => sessionOf('default/bounded').trim() === `nice ${limits.boundedNiceness}`);
  assert.equal(sessionOf('default/free').trim(), 'nice 0');
});
