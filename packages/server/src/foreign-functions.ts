/**
 * Functions of other systems: their kinds are served from the start, and what runs them is loaded
 * when there is one.
 */
import { awaitFirstObject } from '@fnlet/apiserver';
import { errorMessage, sleep } from '@fnlet/base';
import { type Client, createClient } from '@fnlet/client';
import { installKinds } from '@fnlet/functions';
import type { Gateway } from '@fnlet/gateway';
import type { CustomResourceDefinition, KubeObject, ResourceType } from '@fnlet/machinery';
import { type House, runInBackground } from './house.ts';
import { kindsCheckMs } from './limits.ts';

const crdType: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

type Parts = Parameters<typeof import('@fnlet/functions/kubeless').createKubeless>[0];

/** A system whose functions run here. */
interface ForeignSystem {
  readonly name: string;
  readonly group: string;
  /** The kinds whose first object makes it worth loading what runs them. */
  readonly plurals: readonly string[];
  loadKinds(): Promise<readonly CustomResourceDefinition[]>;
  load(parts: Parts): Promise<{ run(signal: AbortSignal): Promise<void> }>;
}

const systems: readonly ForeignSystem[] = [
  {
    name: 'Kyma',
    group: 'serverless.kyma-project.io',
    plurals: ['functions'],
    async loadKinds() {
      const { kymaFunctionCrd } = await import('@fnlet/api/kyma');
      return [kymaFunctionCrd];
    },
    async load(parts) {
      const { createKymaFunctions } = await import('@fnlet/functions/kyma');
      return createKymaFunctions(parts);
    },
  },
  {
    name: 'Kubeless',
    group: 'kubeless.io',
    plurals: ['functions', 'cronjobtriggers', 'httptriggers'],
    async loadKinds() {
      const kubeless = await import('@fnlet/api/kubeless');
      return [kubeless.kubelessFunctionCrd, kubeless.cronJobTriggerCrd, kubeless.httpTriggerCrd];
    },
    async load(parts) {
      const { createKubeless } = await import('@fnlet/functions/kubeless');
      return createKubeless(parts);
    },
  },
];

/** Resolves when their kinds are served: whoever reads `endpoints.json` may apply them at once. */
export async function serveForeignFunctions(
  house: House,
  invoke: Gateway['invoke'],
): Promise<void> {
  const { options, server } = house;
  // The house's own stack is closed to new parts once the start is over.
  const stack = house.stack.use(new AsyncDisposableStack());
  const client = createClient(server.transport(), { fieldManager: 'fnlet', clock: options.clock });
  const own = { ...house, stack };
  await Promise.all(systems.map((system) => bringKinds(system, own, client)));
  for (const system of systems) runFromFirst(system, own, { client, invoke });
}

async function bringKinds(system: ForeignSystem, house: House, client: Client): Promise<void> {
  const name = `${system.plurals[0]}.${system.group}`;
  const found = await client.of(crdType).tryGet({ namespace: '', name });
  const install = async (): Promise<void> => {
    await installKinds(client, await system.loadKinds(), house.options.clock);
  };
  if (found === undefined) await install();
  else if (isOurs(found)) {
    // What stands is served; whether it is of this version can wait until the start is over.
    runInBackground(house, `kinds of ${system.name}`, async (signal) => {
      await sleep(house.options.clock, kindsCheckMs, signal);
      if (!signal.aborted) await install();
    });
  }
}

/** Loads what runs its objects when there is the first of them. */
function runFromFirst(
  system: ForeignSystem,
  house: House,
  { client, invoke }: { readonly client: Client; readonly invoke: Gateway['invoke'] },
): void {
  const { options, store, failed, stack } = house;
  const { clock, random, logger } = options;
  const what = `objects of ${system.name}`;
  const run = async (): Promise<void> => {
    const { createFunctionCaller } = await import('./function-caller.ts');
    const call = createFunctionCaller(invoke);
    const loaded = await system.load({ client, call, clock, random, logger });
    if (!stack.disposed) runInBackground(house, what, (signal) => loaded.run(signal));
  };
  const stop = awaitFirstObject(store, {
    types: system.plurals.map((plural) => ({ group: system.group, plural })),
    matches: () => true,
    found: () =>
      void run().catch((error: unknown) => {
        logger.error(`Cannot start what runs ${what}`, { error: errorMessage(error) });
        failed.reject(error);
      }),
  });
  stack.defer(stop);
}

/** A definition that somebody else has brought, such as Kyma's own, stays as it is. */
function isOurs({ metadata }: KubeObject): boolean {
  return metadata.managedFields?.some(({ manager }) => manager === 'fnlet') === true;
}
