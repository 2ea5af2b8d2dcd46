/** A hub on an API of its own, with functions that are operators of this process. */
import {
  apiVersion,
  functionCrd,
  functionType,
  type OperatorObject,
  operatorCrd,
  operatorType,
} from '@fnlet/api';
import { type JsonObject, seededRandom, silentLogger } from '@fnlet/base';
import { createClient, type ResourceClient, type Transport } from '@fnlet/client';
import type { Invocation, InvocationAnswer, InvocationFailure } from '@fnlet/invocation';
import type { KubeObject, ObjectKey } from '@fnlet/machinery';
import { resourceTypeOf } from '@fnlet/reconcile';
import { type Kind, type Operator, type PolicyRule, requiredRules } from '@fnlet/sdk/operator';
import { type OperatorCall, serveOperator } from '@fnlet/sdk/operator-wire';
import { type MemoryStore, openMemoryStore, type StoreSnapshot } from '@fnlet/store';
import { startTestCluster, type TestCluster } from '@fnlet/testing';
import { createHub, type Hub, type HubOptions } from '../src/index.ts';

/** Answers one call instead of the function. */
export type Answerer = (
  call: OperatorCall,
  signal: AbortSignal,
) => Promise<InvocationAnswer | InvocationFailure>;

export const namespace: string = 'default';

/** A write of the hub, and as whom it was sent. */
export interface HubWrite {
  readonly method: string;
  readonly path: string;
  readonly as: string | undefined;
}

export class HubWorld implements AsyncDisposable {
  readonly cluster: TestCluster;
  store: MemoryStore;
  /** What functions were asked, in order. */
  readonly calls: OperatorCall[] = [];
  /** What the hub wrote, or tried to. */
  readonly writes: HubWrite[] = [];
  /** Functions by name. */
  readonly functions: Map<string, Operator> = new Map();
  /** What the hub may watch. Default: everything. */
  watching: HubOptions['watching'];
  /** When it is there, it answers instead of functions. */
  answerer: Answerer | undefined;
  #life:
    | { readonly hub: Hub; readonly stop: AbortController; readonly ended: Promise<void> }
    | undefined;

  private constructor(cluster: TestCluster) {
    this.cluster = cluster;
    this.store = openMemoryStore();
  }

  static async open(objects: readonly KubeObject[] = []): Promise<HubWorld> {
    return new HubWorld(
      await startTestCluster({ objects: [functionCrd, operatorCrd, ...objects] }),
    );
  }

  get hub(): Hub | undefined {
    return this.#life?.hub;
  }

  /** The reconciles that functions were asked for, as `name` of the objects. */
  get reconciled(): string[] {
    return this.calls.flatMap((call) => (call.what === 'map' ? [] : [call.object.metadata.name]));
  }

  of<T extends KubeObject>(kind: Kind): ResourceClient<T> {
    return this.cluster.client.of<T>(resourceTypeOf(kind));
  }

  /** A Function that serves, and what it is. */
  async deploy(name: string, operator: Operator, revision = `${name}-1`): Promise<void> {
    this.functions.set(name, operator);
    const functions = this.cluster.client.of<KubeObject>(functionType);
    const spec = { runtime: 'nodejs24', source: { inline: 'export default 1' } };
    const metadata = { namespace, name };
    await functions.apply({ apiVersion, kind: 'Function', metadata, spec }, { force: true });
    await this.setFunctionStatus(name, revision);
  }

  async setFunctionStatus(name: string, revision: string, routes = 'True'): Promise<void> {
    const lastTransitionTime = new Date(this.cluster.clock.now()).toISOString();
    const condition = { type: 'RoutesReady', status: routes, reason: 'Ready', message: '' };
    const status = { revision, conditions: [{ ...condition, lastTransitionTime }] };
    await this.cluster.client
      .of<KubeObject>(functionType)
      .patch({ namespace, name }, { type: 'merge', patch: { status } }, { subresource: 'status' });
  }

  /** An Operator, with all that it declares allowed to its account. */
  async create(
    name: string,
    spec: JsonObject,
    rules: readonly PolicyRule[] = everything,
  ): Promise<void> {
    await this.allow(String(spec.serviceAccountName ?? 'default'), rules);
    await this.cluster.client
      .of<KubeObject>(operatorType)
      .create({ apiVersion, kind: 'Operator', metadata: { namespace, name }, spec });
  }

  async allow(account: string, rules: readonly PolicyRule[]): Promise<void> {
    const rbac = 'rbac.authorization.k8s.io';
    const types = (kind: string, plural: string) => ({
      ...{ group: rbac, version: 'v1', kind, plural, namespaced: false },
    });
    const { client } = this.cluster;
    const metadata = { name: account };
    const version = { apiVersion: `${rbac}/v1` };
    await client
      .of<KubeObject>(types('ClusterRole', 'clusterroles'))
      .apply({ ...version, kind: 'ClusterRole', metadata, rules });
    await client.of<KubeObject>(types('ClusterRoleBinding', 'clusterrolebindings')).apply({
      ...{ ...version, kind: 'ClusterRoleBinding', metadata },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: account },
      subjects: [{ kind: 'ServiceAccount', namespace, name: account }],
    });
  }

  async operator(name: string): Promise<OperatorObject> {
    return this.cluster.client.of<OperatorObject>(operatorType).get({ namespace, name });
  }

  /** Whether a condition of an Operator holds, and why. */
  async condition(name: string, type = 'Ready'): Promise<string> {
    const { conditions = [] } = (await this.operator(name)).status ?? {};
    const found = conditions.find((condition) => condition.type === type);
    return `${found?.status} ${found?.reason}`;
  }

  start(): void {
    const { clock } = this.cluster;
    const hub = createHub({
      client: createClient(this.#seen(this.cluster.transport()), { fieldManager: 'fnlet', clock }),
      invoke: (invocation, signal) => this.#invoke(invocation, signal),
      watching: this.watching,
      ...{ store: this.store, clock, random: seededRandom(7), logger: silentLogger },
    });
    const stop = new AbortController();
    this.#life = { hub, stop, ended: hub.run(stop.signal) };
  }

  async stop(): Promise<void> {
    const life = this.#life;
    this.#life = undefined;
    life?.stop.abort();
    await this.#advanceUntil(life?.ended);
  }

  /** What a crash would leave of this moment: all that comes later is forgotten at `restart`. */
  crash(): StoreSnapshot {
    return this.store.snapshot();
  }

  /** Starts again with what a crash has left. */
  async restart(left: StoreSnapshot): Promise<void> {
    await this.stop();
    await this.store.close();
    this.store = openMemoryStore({ from: left });
    this.start();
  }

  /** Everything that can be done now, and what follows from it within a few seconds. */
  async settle(duration = '5s'): Promise<void> {
    await this.cluster.advance(duration);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.cluster.close();
    await this.store.close();
  }

  #seen(transport: Transport): Transport {
    return {
      close: () => transport.close(),
      [Symbol.asyncDispose]: () => transport.close(),
      request: (request) => {
        const { method, path, headers } = request;
        const as = headers?.['impersonate-user'];
        if (method !== 'GET') this.writes.push({ method, path, as });
        return transport.request(request);
      },
    };
  }

  async #advanceUntil(ended: Promise<void> | undefined): Promise<void> {
    const isEnded = ended?.then(() => true);
    const turn = (): Promise<boolean> =>
      new Promise((resolve) => setImmediate(() => resolve(false)));
    for (let step = 0; step < 100 && isEnded !== undefined; step++) {
      if (await Promise.race([isEnded, turn()])) return;
      await this.cluster.advance(1000);
    }
  }

  async #invoke(
    invocation: Invocation,
    signal: AbortSignal,
  ): Promise<InvocationAnswer | InvocationFailure> {
    const call = JSON.parse(Buffer.from(invocation.body).toString());
    this.calls.push(call);
    if (this.answerer !== undefined) return this.answerer(call, signal);
    const operator = this.functions.get(invocation.function);
    if (operator === undefined) return failure(404, 'FunctionNotFound');
    const { clock } = this.cluster;
    const serve = serveOperator(operator, {
      after: (ms, act) => {
        const timer = clock.after(ms, act);
        return () => timer.cancel();
      },
    });
    return answered(200, await serve(call, signal));
  }
}

export const everything: readonly PolicyRule[] = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
];

/** The rights that follow from what an operator declares. */
export function rightsOf(operator: Operator): readonly PolicyRule[] {
  return requiredRules([operator]);
}

export function answered(
  status: number,
  body: unknown,
  headers: InvocationAnswer['headers'] = [],
): InvocationAnswer {
  const bytes = Buffer.from(JSON.stringify(body) ?? '');
  return { kind: 'answered', status, headers, body: bytes, truncated: false };
}

export function failure(status: number, reason: string, retryAfterMs?: number): InvocationFailure {
  return { kind: 'failed', status, reason, message: reason, reached: false, retryAfterMs };
}

export function keyOf(name: string): ObjectKey {
  return { namespace, name };
}
