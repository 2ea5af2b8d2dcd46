import { createClient, createHttpTransport, loadKubeconfig } from '@fnlet/client';
import { findCondition, type KubeObject, type ResourceType } from '@fnlet/machinery';
import type { FnletProcess } from './fnlet-process.ts';
import { until } from './until.ts';

const triggerType: ResourceType = {
  group: 'fnlet.dev',
  version: 'v1alpha1',
  kind: 'Trigger',
  plural: 'triggers',
  namespaced: true,
};
const secretType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
};
const namespace = 'default';

/** What tests of the whole house do with Triggers. */
export interface TestTriggers {
  apply(name: string, spec: object): Promise<void>;
  /** Status and reason of Ready, once it is about the newest generation. */
  ready(name: string): Promise<string>;
  /** The status as it is now. */
  status(name: string): Promise<Readonly<Record<string, unknown>>>;
  delete(name: string): Promise<void>;
  /** Writes a Secret that a Trigger names. */
  applySecret(name: string, values: Readonly<Record<string, string>>): Promise<void>;
  close(): Promise<void>;
}

export async function openTriggers({ endpoints }: FnletProcess): Promise<TestTriggers> {
  const config = await loadKubeconfig({ file: endpoints.kubeconfig, env: {} });
  const transport = createHttpTransport(config);
  const client = createClient(transport, { fieldManager: 'test' });
  const triggers = client.of<KubeObject>(triggerType);
  return {
    async apply(name, spec) {
      const metadata = { name, namespace };
      const object = { apiVersion: 'fnlet.dev/v1alpha1', kind: 'Trigger', metadata, spec };
      await triggers.apply(object, { force: true });
    },
    ready(name) {
      const read = async (): Promise<string | undefined> => {
        const { metadata, status } = Object(await triggers.get({ namespace, name }));
        const ready = findCondition(status?.conditions, 'Ready');
        const isCurrent = ready?.observedGeneration === metadata.generation;
        return isCurrent ? `${ready?.status} ${ready?.reason}` : undefined;
      };
      return until(read, { what: `Trigger ${name} to be judged` });
    },
    async status(name) {
      return Object(await triggers.get({ namespace, name })).status ?? {};
    },
    delete: async (name) => void (await triggers.delete({ namespace, name })),
    async applySecret(name, values) {
      const metadata = { name, namespace };
      const object = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: values };
      await client.of<KubeObject>(secretType).apply(object, { force: true });
    },
    close: () => transport.close(),
  };
}
