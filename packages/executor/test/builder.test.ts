/** Pods that install packages, while the API and the Pods themselves go wrong. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Clock, systemClock, systemRandom } from '@fnlet/base';
import { createClient } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import { type FaultSwitches, startTestCluster, type TestCluster } from '@fnlet/testing';
import { ArtifactError } from '../src/artifact-error.ts';
import { Builder } from '../src/cluster/builder.ts';
import { clusterLimits } from '../src/cluster/limits.ts';
import { buildLabel, exitCodeHeader } from '../src/cluster/plan-build-pod.ts';
import type { PodIdentity } from '../src/cluster/pod-identity.ts';
import type { InstallerRun } from '../src/installer-run.ts';
import { podType } from '../src/instance-pod.ts';
import type { Reaper } from '../src/reaper.ts';
import { tarBytes } from './archive-bytes.ts';
import { until } from './until.ts';

const namespace = 'fnlet-system';
const user = 'fnlet-controller';
const root = mkdtempSync(join(tmpdir(), 'builder-'));

after(() => rmSync(root, { recursive: true, force: true }));

/** Looks come at once, one after the other. */
const eager: Clock = {
  ...systemClock,
  after: (delayMs, callback) =>
    systemClock.after(delayMs === clusterLimits.buildLookMs ? 5 : delayMs, callback),
};

/** No process is started here. */
const idleReaper: Reaper = {
  ...{ add() {}, remove() {}, signal() {} },
  async close() {},
  async [Symbol.asyncDispose]() {},
};

class BuildWorld implements AsyncDisposable {
  readonly cluster: TestCluster;
  readonly faults: FaultSwitches;
  readonly builder: Builder;
  readonly directory: string;
  readonly progress: string[] = [];

  private constructor(cluster: TestCluster, clock: Clock) {
    this.cluster = cluster;
    this.faults = cluster.faults.of(user);
    this.directory = join(mkdtempSync(join(root, 'build-')), 'packages');
    mkdirSync(this.directory);
    writeFileSync(join(this.directory, 'package.json'), '{}');
    const transport = cluster.transport({ name: user, groups: ['system:masters'] });
    this.builder = new Builder({
      client: createClient(transport, { fieldManager: 'fnlet', clock: systemClock }),
      ...{ namespace, clock, random: systemRandom },
      terms: {
        ownerUrl: 'https://fnlet-controller.fnlet-system.svc:8443',
        programs: { node: { name: 'node', items: [] }, python: { name: 'python', items: [] } },
        authorityConfigMap: 'fnlet-authority',
        requests: { cpu: '10m', memory: '32Mi' },
      },
    });
  }

  static async start(clock: Clock = eager): Promise<BuildWorld> {
    const cluster = await startTestCluster({ clock: 'system' });
    const metadata = { name: namespace };
    const type = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces' };
    await cluster.client
      .of<KubeObject>({ ...type, namespaced: false })
      .create({ apiVersion: 'v1', kind: 'Namespace', metadata });
    return new BuildWorld(cluster, clock);
  }

  install(): Promise<void> {
    const lines: string[] = [];
    const run: InstallerRun = {
      ...{ name: 'npm', runtime: 'nodejs24', command: ['npm', 'ci'], directory: this.directory },
      ...{ environment: {}, texts: [], clock: systemClock, reaper: idleReaper },
      output: { lines, isIncomplete: false, add: (line) => void lines.push(line) },
      signal: new AbortController().signal,
      redact: (text) => text,
      onProgress: (line) => void this.progress.push(line),
      explain: (said) => new ArtifactError('DependencyNotFound', said.join('\n')),
    };
    const done = this.builder.run(run);
    // Whoever waits for it hears of it.
    done.catch(() => {});
    return done;
  }

  /** The Pod, once it is there. */
  async pod(): Promise<PodIdentity> {
    const isThere = async (): Promise<PodIdentity | undefined> => {
      const [{ metadata } = {}] = await this.pods();
      return metadata && { namespace, name: metadata.name, uid: metadata.uid ?? '' };
    };
    return await until(isThere);
  }

  async pods(): Promise<readonly KubeObject[]> {
    const { items } = await this.cluster.client.of(podType).list({ labelSelector: buildLabel });
    return items;
  }

  /** What the Pod sends; resolves with the answer. */
  async send(pod: PodIdentity, init: RequestInit): Promise<number> {
    const server = createServer((request, response) => {
      this.builder.answer(pod, request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address: AddressInfo | string | null = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    try {
      return (await fetch(`http://127.0.0.1:${port}/`, init)).status;
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster[Symbol.asyncDispose]();
  }
}

function packed(): Buffer {
  return gzipSync(tarBytes([{ path: 'node_modules/greeting/index.js', content: 'hello' }]));
}

test('an API that does not answer some questions ends no installation', async () => {
  await using world = await BuildWorld.start();
  const away = world.faults.unavailable({ verb: 'get', resource: 'pods', times: 3 });
  const failing = world.faults.fail({ verb: 'get', resource: 'pods', times: 3 });
  const done = world.install();
  const pod = await world.pod();
  await until(() => away.met + failing.met === 6);
  await world.send(pod, { method: 'PUT', body: 'added 1', headers: { [exitCodeHeader]: '0' } });
  await world.send(pod, { method: 'POST', body: packed() });
  await done;
  const file = join(world.directory, 'node_modules', 'greeting', 'index.js');
  assert.equal(readFileSync(file, 'utf8'), 'hello');
});

test('an installation that does not end is told so, and its Pod goes', async () => {
  let passedMs = 0;
  const clock: Clock = { ...eager, monotonicMs: () => systemClock.monotonicMs() + passedMs };
  await using world = await BuildWorld.start(clock);
  const done = world.install();
  await world.pod();
  passedMs = clusterLimits.buildSeconds * 1_000;
  await assert.rejects(done, {
    code: 'InstallFailed',
    retry: 'later',
    message: /: it did not end within 900 s, expected/,
  });
  assert.deepEqual(await world.pods(), []);
});

test('packages that come in part are none, and are installed again', async () => {
  await using world = await BuildWorld.start();
  const done = world.install();
  const pod = await world.pod();
  // The program that packs them was killed: the request ends as one that is whole does.
  const whole = packed();
  await world.send(pod, { method: 'POST', body: whole.subarray(0, whole.length - 20) });
  await assert.rejects(done, { code: 'InstallFailed', retry: 'later' });
  assert.deepEqual(readdirSync(join(world.directory, '..')), ['packages']);
});
