/** One more Node of a cluster of one machine: a kubelet in this process, with Pods as processes. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { seededRandom, silentLogger, systemClock } from '@fnlet/base';
import { createCache, loadKubeconfig } from '@fnlet/client';
import { createProcessContainers, createReaper } from '@fnlet/executor';
import { createEventRecorder } from '@fnlet/reconcile';
import { createKubelet } from '../packages/workloads/src/kubelet.ts';
import { type Pod, podType } from '../packages/workloads/src/pod.ts';
import type { ClusterParts } from './cluster-parts.ts';

/** Runs the Pods that are bound to the Node of this name. Somebody else makes the Node. */
export async function startSecondNode(
  { client, api }: ClusterParts,
  nodeName: string,
): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const [clock, random, logger] = [systemClock, seededRandom(process.pid), silentLogger];
  const directory = await mkdtemp(join(tmpdir(), 'fnlet-node-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const reaper = stack.use(createReaper({ clock, logger }));
  const runtime = createProcessContainers({ directory, reaper, clock, random, logger });
  stack.defer(() => runtime.close(0));
  const { server, caData: caPem = '' } = await loadKubeconfig({
    ...{ file: api.endpoints.kubeconfig, env: {} },
  });
  const programPath = [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter);
  const { hostname: host, port } = new URL(server);
  const events = createEventRecorder({ client, component: nodeName, clock, random, logger });
  const pods = createCache<Pod>({ client, type: podType, clock, random, logger });
  const context = {
    ...{ client, runtime, nodeName, events, clock, random, logger },
    ...{ hostIP: '127.0.0.1', capacity: { cpu: '1', memory: '1Gi' } },
    ...{ nodeProgram: process.execPath, nodeVersion: process.versions.node },
    ...{ allowHostCommands: true, programPath },
    api: { host, port, caPem },
  };
  const kubelet = createKubelet(context, pods);
  const stop = new AbortController();
  const running = Promise.all([pods, kubelet, events].map((loop) => loop.run(stop.signal)));
  stack.defer(async () => {
    stop.abort();
    await running;
  });
  return stack.move();
}
