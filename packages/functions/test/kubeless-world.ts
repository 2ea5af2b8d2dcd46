import {
  functionCrd,
  functionType,
  type TriggerObject,
  type TriggerStatus,
  triggerCrd,
  triggerType,
} from '@fnlet/api';
import {
  cronJobTriggerCrd,
  httpTriggerCrd,
  kafkaTriggerCrd,
  kinesisTriggerCrd,
  kubelessFunctionCrd,
  kubelessFunctionType,
  natsTriggerCrd,
} from '@fnlet/api/kubeless';
import { seededRandom, silentLogger } from '@fnlet/base';
import { createClient, type ResourceClient } from '@fnlet/client';
import {
  type Condition,
  findCondition,
  type KubeObject,
  type ObjectKey,
  type ResourceType,
} from '@fnlet/machinery';
import { startTestCluster, type TestCluster } from '@fnlet/testing';
import { createKubeless } from '../src/kubeless.ts';

type KubelessObject = KubeObject & {
  readonly status?: Readonly<Record<string, unknown>> & {
    readonly conditions?: readonly Condition[];
  };
};

/** Objects of Kubeless in a whole API. What runs Triggers of Fnlet is played by the test. */
export class KubelessWorld implements AsyncDisposable {
  readonly cluster: TestCluster;
  readonly triggers: ResourceClient<TriggerObject>;
  readonly functions: ResourceClient<KubeObject>;
  readonly #abort = new AbortController();
  readonly #running: Promise<void>;

  private constructor(cluster: TestCluster) {
    this.cluster = cluster;
    this.triggers = cluster.client.of<TriggerObject>(triggerType);
    this.functions = cluster.client.of<KubeObject>(functionType);
    const { clock } = cluster;
    const client = createClient(cluster.transport(), { fieldManager: 'fnlet', clock });
    const brokers = { kafka: 'one:9092, two:9092', nats: 'nats://one:4222' };
    const base = { clock, random: seededRandom(1), logger: silentLogger };
    this.#running = createKubeless({ client, brokers, ...base }).run(this.#abort.signal);
  }

  static async start(): Promise<KubelessWorld> {
    const objects = [
      ...[kubelessFunctionCrd, cronJobTriggerCrd, httpTriggerCrd],
      ...[kafkaTriggerCrd, natsTriggerCrd, kinesisTriggerCrd],
      ...[functionCrd, triggerCrd],
    ];
    return new KubelessWorld(await startTestCluster({ objects }));
  }

  of({ name }: ObjectKey, type: ResourceType): Promise<KubelessObject | undefined> {
    return this.cluster.client.of<KubelessObject>(type).tryGet({ namespace: 'default', name });
  }

  /** Applies an object of Kubeless. */
  async apply(
    type: ResourceType,
    metadata: { readonly name: string },
    spec: object,
  ): Promise<void> {
    const { group, version, kind } = type;
    const object = { apiVersion: `${group}/${version}`, kind, metadata, spec };
    const where = { ...metadata, namespace: 'default' };
    const client = this.cluster.client.of<KubeObject>(type);
    await client.apply(Object({ ...object, metadata: where }), { force: true });
    await this.cluster.settle();
  }

  /** A function of Kubeless; a Function of Fnlet runs it. */
  createFunction(name: string, labels: Readonly<Record<string, string>> = {}): Promise<void> {
    const metadata = { name, labels };
    const code = { handler: 'a.b', runtime: 'nodejs14', function: 'exports.b = () => 1;' };
    return this.apply(kubelessFunctionType, metadata, code);
  }

  /** Says about a Trigger what runs it would. */
  async play(
    name: string,
    ready: Pick<Condition, 'status' | 'reason' | 'message'>,
    more: TriggerStatus = {},
  ): Promise<void> {
    const key = { namespace: 'default', name };
    const { generation: observedGeneration = 0 } = (await this.triggers.get(key)).metadata;
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const condition = { type: 'Ready', ...ready, observedGeneration, lastTransitionTime };
    const patch = Object({ status: { ...more, conditions: [condition] } });
    await this.triggers.patch(key, { type: 'merge', patch }, { subresource: 'status' });
    await this.cluster.settle();
  }

  /** What an object of Kubeless says of itself. */
  async ready(type: ResourceType, name: string): Promise<readonly (string | undefined)[]> {
    const object = await this.of({ namespace: 'default', name }, type);
    const found = findCondition(object?.status?.conditions, 'Ready');
    return [found?.status, found?.reason, found?.message];
  }

  /** The Triggers that there are, by name. */
  async names(): Promise<readonly string[]> {
    const { items } = await this.triggers.list({ namespace: 'default' });
    return items.map(({ metadata }) => metadata.name).sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.#running;
    await this.cluster[Symbol.asyncDispose]();
  }
}
