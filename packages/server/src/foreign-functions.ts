/**
 * Functions of other systems: their kinds are served from the start, and what runs them is loaded
 * when there is one.
 */
import { awaitFirstObject } from '@fnlet/apiserver';
import { errorMessage } from '@fnlet/base';
import { createClient } from '@fnlet/client';
import { installKinds } from '@fnlet/functions';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { type House, runInBackground } from './house.ts';

const crdType: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

const kymaFunctions = { group: 'serverless.kyma-project.io', plural: 'functions' };

/** Resolves when their kinds are served: whoever reads `endpoints.json` may apply them at once. */
export async function serveForeignFunctions(house: House): Promise<void> {
  const { options, server, store, failed } = house;
  const { clock, random, logger } = options;
  // The house's own stack is closed to new parts once the start is over.
  const stack = house.stack.use(new AsyncDisposableStack());
  const client = createClient(server.transport(), { fieldManager: 'fnlet', clock });
  const name = `${kymaFunctions.plural}.${kymaFunctions.group}`;
  const found = await client.of(crdType).tryGet({ namespace: '', name });
  const bringKinds = async (): Promise<void> => {
    const { kymaFunctionCrd } = await import('@fnlet/api/kyma');
    await installKinds(client, [kymaFunctionCrd], clock);
  };
  if (found === undefined) await bringKinds();
  else if (isOurs(found)) runInBackground({ ...house, stack }, 'kinds of Kyma', bringKinds);
  const run = async (): Promise<void> => {
    const { createKymaFunctions } = await import('@fnlet/functions/kyma');
    const kyma = createKymaFunctions({ client, clock, random, logger });
    if (!stack.disposed) {
      runInBackground({ ...house, stack }, 'Kyma Functions', (signal) => kyma.run(signal));
    }
  };
  const stop = awaitFirstObject(store, {
    types: [kymaFunctions],
    matches: () => true,
    found: () =>
      void run().catch((error: unknown) => {
        logger.error('Cannot start what runs Kyma Functions', { error: errorMessage(error) });
        failed.reject(error);
      }),
  });
  stack.defer(stop);
}

/** A definition that somebody else has brought, such as Kyma's own, stays as it is. */
function isOurs({ metadata }: KubeObject): boolean {
  return metadata.managedFields?.some(({ manager }) => manager === 'fnlet') === true;
}
