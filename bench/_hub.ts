/** What the benchmarks of the hub share: kinds, objects and Operators in a started Fnlet. */
import { setTimeout as sleep } from 'node:timers/promises';
import { operatorType } from '@fnlet/api';
import { type Client, createClient, createHttpTransport, loadKubeconfig } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { until } from '../test/until.ts';

const account = 'bench';
const requestsAtOnce = 32;

export type BenchObject = KubeObject & { readonly [field: string]: unknown };

/** A namespaced kind of the benchmarks. */
export function benchType(kind: string): ResourceType {
  const plural = `${kind.toLowerCase()}s`;
  return { group: 'bench.dev', version: 'v1', kind, plural, namespaced: true };
}

export function definition({ group, kind, plural }: ResourceType): BenchObject {
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const version = { name: 'v1', served: true, storage: true, subresources: { status: {} } };
  return {
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: `${plural}.${group}` },
    spec: {
      ...{ group, scope: 'Namespaced', names: { kind, plural, singular: kind.toLowerCase() } },
      versions: [{ ...version, schema: { openAPIV3Schema: schema } }],
    },
  };
}

/** How an operator module names such a kind. */
export function kindText({ group, version, kind, plural }: ResourceType): string {
  return `kind({ ${JSON.stringify({ group, version, kind, plural }).slice(1, -1)},
  scope: 'Namespaced' })`;
}

export interface OperatorWish {
  readonly name: string;
  readonly type: ResourceType;
  readonly source: string;
  readonly owns?: readonly object[];
  readonly scale?: Readonly<Record<string, unknown>>;
  /** What is kept of its objects. Default: all of each. */
  readonly keep?: readonly string[];
  readonly more?: Readonly<Record<string, unknown>>;
}

export function operatorObject(wish: OperatorWish): BenchObject {
  const { name, type, source, owns, keep, scale = { idleAfter: '5s' }, more = {} } = wish;
  return {
    ...{ apiVersion: 'fnlet.dev/v1alpha1', kind: 'Operator' },
    metadata: { name, namespace: 'default' },
    spec: {
      for: { apiVersion: `${type.group}/${type.version}`, kind: type.kind },
      ...(owns === undefined ? {} : { owns }),
      ...(keep === undefined ? {} : { keep }),
      reconcile: { runtime: 'nodejs24', source: { inline: source }, scale },
      serviceAccountName: account,
      ...more,
    },
  };
}

export async function openClient(kubeconfig: string): Promise<Client> {
  const config = await loadKubeconfig({ env: {}, file: kubeconfig });
  return createClient(createHttpTransport(config), { fieldManager: 'bench' });
}

export async function inParallel(
  count: number,
  make: (n: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) await make(next++);
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, work));
}

/** What a status says of an Operator. */
export interface OperatorStatus {
  readonly awake?: boolean;
  readonly lastRun?: string;
  readonly objects?: { readonly total?: number; readonly settled?: number };
}

interface OperatorLike extends KubeObject {
  readonly status?: OperatorStatus;
}

export async function statuses(client: Client): Promise<OperatorStatus[]> {
  const { items } = await client.of<OperatorLike>(operatorType).list({ namespace: 'default' });
  return items.map(({ status = {} }) => status);
}

/** Until all Operators are as they are wanted; tells on stderr how far that is. */
export async function untilAll(
  client: Client,
  isSo: (status: OperatorStatus) => boolean,
  what: string,
): Promise<void> {
  let told = performance.now();
  const look = async (): Promise<boolean> => {
    await sleep(500);
    const all = await statuses(client);
    const so = all.filter(isSo).length;
    if (performance.now() - told > 10_000) {
      told = performance.now();
      const settled = all.reduce((sum, { objects }) => sum + (objects?.settled ?? 0), 0);
      process.stderr.write(`${so} of ${all.length} ${what}; ${settled} objects are settled\n`);
    }
    return all.length > 0 && so === all.length;
  };
  await until(look, { what: `all ${what}`, timeoutMs: 1_800_000 });
}

/** The account of all operators, which may do everything. */
export async function createAccount(client: Client): Promise<void> {
  const core = { version: 'v1', namespaced: true };
  const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: false };
  const binding = { ...rbac, kind: 'ClusterRoleBinding', plural: 'clusterrolebindings' };
  const accounts = { ...core, group: '', kind: 'ServiceAccount', plural: 'serviceaccounts' };
  const metadata = { name: account, namespace: 'default' };
  await client.of(accounts).create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  await client.of<BenchObject>(binding).create({
    ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding' },
    metadata: { name: account },
    roleRef: { apiGroup: rbac.group, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', ...metadata }],
  });
}

export async function createKind(client: Client, type: ResourceType): Promise<void> {
  const crds: ResourceType = {
    ...{ group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' },
    ...{ plural: 'customresourcedefinitions', namespaced: false },
  };
  await client.of<BenchObject>(crds).create(definition(type));
}

export async function createObjects(
  client: Client,
  count: number,
  typeOf: (n: number) => ResourceType,
): Promise<void> {
  await inParallel(count, async (n) => {
    const type = typeOf(n);
    const object = {
      ...{ apiVersion: `${type.group}/${type.version}`, kind: type.kind },
      metadata: { name: `thing-${n}`, namespace: 'default' },
      spec: { size: n, text: 'a text of some length, as there is in specs' },
    };
    await until(() => client.of(type).create(object), { what: 'the kind to be served' });
  });
}

/** The sum of a counter of `/metrics` over the series that have all these labels. */
export function counted(
  metrics: string,
  name: string,
  isMeant: (labels: string) => boolean,
): number {
  let sum = 0;
  for (const line of metrics.split('\n')) {
    const found = /^(\w+)\{(.*)\} (\S+)$/.exec(line);
    if (found?.[1] === name && isMeant(found[2] ?? '')) sum += Number(found[3]);
  }
  return sum;
}
