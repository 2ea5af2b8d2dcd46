/** What the benchmarks of a cluster share: parts of Fnlet over an embedded API, and what they ask. */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Condition, KubeObject, ResourceType } from '@fnlet/machinery';
import type { ClusterParts, Part } from '../test/cluster-parts.ts';
import { until } from '../test/until.ts';
import { counted } from './_hub.ts';

export const functionType: ResourceType = fnletType('Function', 'functions');
export const revisionType: ResourceType = fnletType('Revision', 'revisions');
export const podType: ResourceType = coreType('Pod', 'pods');
export const serviceType: ResourceType = coreType('Service', 'services');
export const namespaceType: ResourceType = {
  ...coreType('Namespace', 'namespaces'),
  namespaced: false,
};

/** As small as a function can be. */
export const source = "export default () => 'hello';\n";

export interface ClusterObject extends KubeObject {
  readonly spec?: unknown;
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly phase?: string;
    readonly revision?: string;
  };
}

function fnletType(kind: string, plural: string): ResourceType {
  return { group: 'fnlet.dev', version: 'v1alpha1', kind, plural, namespaced: true };
}

function coreType(kind: string, plural: string): ResourceType {
  return { group: '', version: 'v1', kind, plural, namespaced: true };
}

/** Makes a Function of Node and waits until it is Ready. */
export async function makeFunction(
  cluster: ClusterParts,
  name: string,
  terms: { readonly scale: object; readonly executor?: 'pool' | 'deployment' },
): Promise<void> {
  const functions = cluster.client.of<ClusterObject>(functionType);
  const metadata = { name, namespace: 'default' };
  const spec = { runtime: 'nodejs24', source: { inline: source }, ...terms };
  await functions.create({ apiVersion: 'fnlet.dev/v1alpha1', kind: 'Function', metadata, spec });
  await until(
    async () => {
      const { status } = await functions.get(metadata);
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      return ready?.status === 'True';
    },
    { what: `${name} to be ready`, timeoutMs: 60_000 },
  ).catch((cause: unknown) => {
    throw new Error(cluster.output(), { cause });
  });
}

/** Pods that the API shows with these labels. */
export async function podsOf(
  cluster: ClusterParts,
  labelSelector: string,
): Promise<readonly ClusterObject[]> {
  const { items } = await cluster.client.of<ClusterObject>(podType).list({ labelSelector });
  return items;
}

export async function untilAsleep(cluster: ClusterParts): Promise<void> {
  const instances = 'fnlet.dev/instance';
  await until(async () => (await podsOf(cluster, instances)).length === 0, {
    what: 'all functions to sleep',
    timeoutMs: 120_000,
  });
}

const question = /resource="(leases|tokenreviews|subjectaccessreviews)"/;

/** Requests of a part to the API since its start. */
export class AskedOfApi {
  readonly #metrics: string;

  private constructor(metrics: string) {
    this.#metrics = metrics;
  }

  static async by({ healthUrl }: Part): Promise<AskedOfApi> {
    const answer = await fetch(`${healthUrl}/metrics`);
    return new AskedOfApi(await answer.text());
  }

  /** Those with such labels. */
  count(isMeant: (labels: string) => boolean): number {
    return counted(this.#metrics, 'rest_client_requests_total', isMeant);
  }

  get reads(): number {
    return this.count((labels) => labels.includes('method="GET"'));
  }

  /** Without the Lease, which the leader renews every few seconds, and without questions. */
  get writes(): number {
    return this.count((labels) => !labels.includes('method="GET"') && !question.test(labels));
  }

  /** Reads and writes but for the address of the leader, at which it looks every few seconds. */
  get work(): number {
    const address = /resource="(endpointslices|apiservices)"/;
    return this.reads + this.writes - this.count((labels) => address.test(labels));
  }

  /** Objects that were made. */
  get created(): number {
    return this.count((labels) => labels.includes('code="201"') && !question.test(labels));
  }

  /** By method and resource, as text for people. */
  *lines(): Iterable<string> {
    for (const line of this.#metrics.split('\n')) {
      if (line.startsWith('rest_client_requests_total{')) yield line;
    }
  }
}

/** Waits until a part has asked the API nothing for so long; the time of its last question. */
export async function untilQuietAtApi(part: Part, quietMs: number): Promise<number> {
  let changedMs = performance.now();
  let before = -1;
  for (;;) {
    const asked = await AskedOfApi.by(part);
    const now = asked.work;
    if (now !== before) changedMs = performance.now();
    else if (performance.now() - changedMs > quietMs) return changedMs;
    before = now;
    await sleep(50);
  }
}

/** Most memory that a process has had at once, in MB. */
export async function peakMB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1000;
}
