/**
 * What makes Pods of Deployments and Jobs, and processes of Pods. A module of its own, loaded when
 * the first of them is there.
 */
import { delimiter, dirname } from 'node:path';
import type { PodRuntime } from '@fnlet/apiserver';
import { createClient } from '@fnlet/client';
import { createProcessContainers, type Reaper } from '@fnlet/executor';
import { createWorkloads, type Machine } from '@fnlet/workloads';
import { createContainerPodRuntime } from './container-pod-runtime.ts';
import { type House, runInBackground } from './house.ts';
import { instancesGraceMs } from './limits.ts';
import { routePods } from './pod-runtime-router.ts';

/** What it works with. */
export interface WorkloadParts {
  /** URL of the API. */
  readonly api: string;
  readonly reaper: Reaper;
  /** Shows Instances as Pods; absent where a controller elsewhere makes Pods of Functions. */
  readonly instances?: PodRuntime;
}

/** Starts it; it works for as long as the house stands. */
export function startWorkloads(
  house: House,
  { api, reaper, instances, machine }: WorkloadParts & { readonly machine: Machine },
): void {
  const { options, data, tls, server, podRuntime, stack } = house;
  const { config, clock, random, logger, environment } = options;
  const runtime = createProcessContainers({
    ...{ directory: data.pods, reaper, clock, random, logger },
  });
  stack.defer(() => runtime.close(instancesGraceMs));
  const { hostname: apiHost, port: apiPort } = new URL(api);
  const workloads = createWorkloads({
    client: createClient(server.transport(), { fieldManager: 'fnlet-workloads', clock }),
    runtime,
    machine,
    runsInstances: instances === undefined,
    nodeProgram: process.execPath,
    nodeVersion: process.versions.node,
    allowHostCommands: config.allowHostCommands,
    programPath: [dirname(process.execPath), environment.PATH ?? ''].join(delimiter),
    api: { host: apiHost, port: apiPort, caPem: tls.caPem },
    ...{ clock, random, logger },
  });
  runInBackground(house, 'workloads', (signal) => workloads.run(signal));
  const nodeName = machine.hostname.toLowerCase();
  const containers = createContainerPodRuntime(runtime, { clock, nodeName });
  podRuntime.begin(instances === undefined ? containers : routePods({ instances, containers }));
}
