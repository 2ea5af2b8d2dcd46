/**
 * The kinds that Fnlet brings into the API: its own, and those of other systems. Their definitions
 * are loaded when the API may not have them as they should be.
 */
import { definitionRevision } from '@fnlet/apiserver';
import { sleep } from '@fnlet/base';
import { type Client, createClient } from '@fnlet/client';
import { installKinds } from '@fnlet/functions';
import type { CustomResourceDefinition, KubeObject, ResourceType } from '@fnlet/machinery';
import { buildName } from './build-name.ts';
import { type House, runInBackground } from './house.ts';
import { KindsRecord } from './kinds-record.ts';
import { kindsCheckMs, kindsLooksMax } from './limits.ts';

const crdType: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

/** Definitions that come together. */
interface KindSet {
  /**
   * For a system of others, a definition that tells whether it is there: when somebody else has
   * brought it, such as Kyma itself, all of the system's stay as they are.
   */
  readonly foreign?: string;
  load(): Promise<readonly CustomResourceDefinition[]>;
}

const kindSets: readonly KindSet[] = [
  {
    async load() {
      const api = await import('@fnlet/api');
      const { functionCrd, revisionCrd, runtimeCrd, triggerCrd, brokerCrd, operatorCrd } = api;
      return [functionCrd, revisionCrd, runtimeCrd, triggerCrd, brokerCrd, operatorCrd];
    },
  },
  {
    foreign: 'functions.serverless.kyma-project.io',
    async load() {
      const { kymaFunctionCrd } = await import('@fnlet/api/kyma');
      return [kymaFunctionCrd];
    },
  },
  {
    foreign: 'functions.kubeless.io',
    async load() {
      const kubeless = await import('@fnlet/api/kubeless');
      return [
        ...[kubeless.kubelessFunctionCrd, kubeless.cronJobTriggerCrd, kubeless.httpTriggerCrd],
        ...[kubeless.kafkaTriggerCrd, kubeless.natsTriggerCrd, kubeless.kinesisTriggerCrd],
      ];
    },
  },
  kymaModule('subscriptions.eventing.kyma-project.io', ({ subscriptionCrd }) => subscriptionCrd),
  kymaModule('apirules.gateway.kyma-project.io', ({ apiRuleCrd }) => apiRuleCrd),
  kymaModule('scaledobjects.keda.sh', ({ scaledObjectCrd }) => scaledObjectCrd),
];

/** A kind that stands around Kyma's Functions; a cluster may have one without the others. */
function kymaModule(
  foreign: string,
  pick: (kinds: typeof import('@fnlet/api/kyma-modules')) => CustomResourceDefinition,
): KindSet {
  return { foreign, load: async () => [pick(await import('@fnlet/api/kyma-modules'))] };
}

/** Resolves when all of them are served. */
export async function serveKinds(house: House): Promise<void> {
  const { options, store, server } = house;
  const { clock } = options;
  const record = new KindsRecord({ store, build: buildName });
  if (record.holds()) return;
  const client = createClient(server.transport(), { fieldManager: 'fnlet', clock });
  const bringInOrder = async (sets: readonly KindSet[]): Promise<readonly string[]> => {
    const wanted = await Promise.all(sets.map((set) => loadOurs(client, set)));
    await installKinds(client, wanted.flat(), clock);
    const names = wanted.flat().map(({ metadata }) => metadata.name);
    // What somebody else has brought is ours to bring once it is gone.
    return [...new Set([...names, ...sets.flatMap(({ foreign = [] }) => foreign)])];
  };
  const isServed = ({ foreign }: KindSet): boolean =>
    foreign !== undefined && definitionRevision(store, foreign) > 0;
  await bringInOrder(kindSets.filter((set) => !isServed(set)));
  // Foreign ones that stand are served; whether they are of this build can wait for a calm moment,
  // and so can the record, by which the next start has nothing to look at.
  runInBackground(house, 'look at kinds', async (signal) => {
    for (let looks = 0; looks < kindsLooksMax; looks++) {
      await sleep(clock, kindsCheckMs, signal);
      if (signal.aborted || (await record.note(() => bringInOrder(kindSets)))) return;
    }
  });
}

/** The definitions of a set; none if it is a foreign one that somebody else has brought. */
async function loadOurs(
  client: Client,
  { foreign, load }: KindSet,
): Promise<readonly CustomResourceDefinition[]> {
  if (foreign !== undefined) {
    const found = await client.of(crdType).tryGet({ namespace: '', name: foreign });
    if (found !== undefined && !isOurs(found)) return [];
  }
  return load();
}

function isOurs({ metadata }: KubeObject): boolean {
  return metadata.managedFields?.some(({ manager }) => manager === 'fnlet') === true;
}
