/**
 * Keeps the Node, and waits until there is something that the workloads room works for: most of the
 * time there is nothing, and then it is not even loaded.
 */
import { availableParallelism, hostname, release, totalmem, type } from 'node:os';
import { awaitFirstObject, serverVersion } from '@fnlet/apiserver';
import { errorMessage } from '@fnlet/base';
import { createClient } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import { createNodeKeeper, type Machine } from '@fnlet/workloads/node-keeper';
import { type House, runInBackground } from './house.ts';
import { fnletVersion } from './version.ts';
import type { WorkloadParts } from './workload-plane.ts';

const types = [
  { group: '', plural: 'pods' },
  { group: '', plural: 'replicationcontrollers' },
  { group: '', plural: 'services' },
  { group: 'apps', plural: 'deployments' },
  { group: 'apps', plural: 'replicasets' },
  { group: 'apps', plural: 'statefulsets' },
  { group: 'apps', plural: 'daemonsets' },
  { group: 'batch', plural: 'jobs' },
  { group: 'batch', plural: 'cronjobs' },
  { group: 'policy', plural: 'poddisruptionbudgets' },
  { group: 'autoscaling', plural: 'horizontalpodautoscalers' },
];

/** Begins to wait; what it starts stops with the house. */
export function awaitWorkloads(house: House, parts: WorkloadParts): void {
  const { options, server, store, failed } = house;
  const { clock, logger } = options;
  const machine = describeMachine();
  // The house's own stack is closed to new parts once the start is over.
  const stack = house.stack.use(new AsyncDisposableStack());
  const client = createClient(server.transport(), { fieldManager: 'fnlet-workloads', clock });
  const { hostname: host, port } = new URL(parts.api);
  // An IPv6 address has brackets in a URL alone.
  const api = { host: host.replace(/^\[|\]$/g, ''), port };
  const keeper = createNodeKeeper({ client, machine, api, clock, logger });
  runInBackground(house, 'Node', (signal) => keeper.run(signal));
  const load = async (): Promise<void> => {
    const { startWorkloads } = await import('./workload-plane.ts');
    if (!stack.disposed) startWorkloads({ ...house, stack }, { ...parts, machine });
  };
  const stop = awaitFirstObject(store, {
    types,
    // Where Functions are left to others, their Pods are as all are.
    matches: parts.instances === undefined ? isNotApi : isForeign,
    found: () =>
      void load().catch((error: unknown) => {
        logger.error('Cannot start what runs Pods', { error: errorMessage(error) });
        failed.reject(error);
      }),
  });
  house.stack.defer(stop);
}

// What mirrors Functions is run by the executor.
function isForeign(object: KubeObject): boolean {
  const { labels = {} } = object.metadata;
  return isNotApi(object) && !('fnlet.dev/revision' in labels) && !('fnlet.dev/function' in labels);
}

/** The API's own Service has no Pods. */
function isNotApi({ metadata: { namespace, name } }: KubeObject): boolean {
  return namespace !== 'default' || name !== 'kubernetes';
}

function describeMachine(): Machine {
  return {
    hostname: hostname(),
    address: '127.0.0.1',
    cpus: availableParallelism(),
    memoryBytes: totalmem(),
    platform: process.platform,
    architecture: process.arch,
    kernelVersion: release(),
    osImage: type(),
    kubernetesVersion: serverVersion.gitVersion,
    fnletVersion,
  };
}
