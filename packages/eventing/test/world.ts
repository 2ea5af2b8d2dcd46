import {
  brokerCrd,
  brokerType,
  functionCrd,
  functionType,
  type TriggerObject,
  type TriggerStatus,
  triggerCrd,
  triggerType,
} from '@fnlet/api';
import { seededRandom, silentLogger } from '@fnlet/base';
import { createClient, type ResourceClient } from '@fnlet/client';
import type { Certificate, HttpRoute, Responder } from '@fnlet/gateway';
import type { Invocation, InvocationAnswer } from '@fnlet/invocation';
import {
  type Condition,
  findCondition,
  formatObjectKey,
  type KubeObject,
  type ObjectKey,
  parseObjectKey,
  type ResourceType,
} from '@fnlet/machinery';
import { eventType, type KeyOwnership, type KubeEvent } from '@fnlet/reconcile';
import { type Log, openMemoryLog } from '@fnlet/store/log';
import { startTestCluster, type TestCluster } from '@fnlet/testing';
import { Brokers } from '../src/broker/brokers.ts';
import type { HttpEventMessage } from '../src/event/http-event.ts';
import { secretType } from '../src/http/trigger-policies.ts';
import {
  createEventing,
  type Eventing,
  type GatewayUrls,
  type TriggerLetters,
  type WakeOutcome,
} from '../src/index.ts';

export const namespace = 'default';

const configMapType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

function rbacType(kind: string, plural: string): ResourceType {
  return { group: 'rbac.authorization.k8s.io', version: 'v1', kind, plural, namespaced: true };
}

function keyOf(name: string): ObjectKey {
  return name.includes('/') ? parseObjectKey(name) : { namespace, name };
}

/** A whole API with this room, on the test's clock. */
export class World implements AsyncDisposable {
  readonly cluster: TestCluster;
  readonly triggers: ResourceClient<TriggerObject>;
  readonly functions: ResourceClient<KubeObject>;
  /** What the Gateway has, by id. */
  readonly routes: Map<string, HttpRoute> = new Map();
  /** Who takes events that programs send. */
  sinks: Responder | undefined;
  /** What it shows clients of TLS, by host. */
  certificates: ReadonlyMap<string, Certificate> = new Map();
  /** Where it listens. */
  urls: GatewayUrls = { http: 'http://127.0.0.1:8080' };
  /** What Functions were called with, and what they answer; by default 200 at once. */
  readonly calls: Invocation[] = [];
  answer: (call: Invocation, signal: AbortSignal) => Promise<number> | number = () => 200;
  /** What they answer with, as event. */
  reply: (call: Invocation) => HttpEventMessage | undefined = () => undefined;
  readonly log: Log;
  /** Why the log cannot be opened now. */
  logTrouble: Error | undefined;
  /** What the Gateway was told, in order. */
  readonly told: string[] = [];
  /** What the hub was asked for and has noted; what it answers by default. */
  readonly woken: { readonly operator: string; readonly object: string; readonly by: string }[] =
    [];
  wakeOutcome: WakeOutcome = 'noted';
  readonly #operators = new Set<string>();
  readonly #operatorListeners = new Set<(operator: ObjectKey) => void>();
  readonly #ownership: KeyOwnership | undefined;
  #abort = new AbortController();
  #listening = Promise.withResolvers<GatewayUrls>();
  #eventing: Eventing;
  #brokers: Brokers;
  #running: Promise<unknown>;

  private constructor(cluster: TestCluster, ownership?: KeyOwnership) {
    this.cluster = cluster;
    this.#ownership = ownership;
    this.log = openMemoryLog({ clock: cluster.clock });
    this.triggers = cluster.client.of<TriggerObject>(triggerType);
    this.functions = cluster.client.of<KubeObject>(functionType);
    this.#brokers = this.#createBrokers();
    this.#eventing = this.#create();
    this.#running = this.#run();
  }

  static async start(options: { readonly ownership?: KeyOwnership } = {}): Promise<World> {
    const cluster = await startTestCluster({ objects: [functionCrd, triggerCrd, brokerCrd] });
    const world = new World(cluster, options.ownership);
    await world.listen();
    return world;
  }

  /** As the process does: the Gateway listens once the routes are there. */
  async listen(): Promise<void> {
    await this.cluster.settle();
    await this.#eventing.restored;
    this.told.push('listen');
    this.#listening.resolve(this.urls);
    await this.cluster.settle();
  }

  /** Ends it and starts it again, up to where the Gateway would listen. */
  async restart(): Promise<void> {
    this.#abort.abort();
    await this.#running;
    this.#abort = new AbortController();
    this.#listening = Promise.withResolvers<GatewayUrls>();
    this.routes.clear();
    this.told.length = 0;
    this.#brokers = this.#createBrokers();
    this.#eventing = this.#create();
    this.#running = this.#run();
  }

  #run(): Promise<unknown> {
    const { signal } = this.#abort;
    return Promise.all([this.#brokers.run(signal), this.#eventing.run(signal)]);
  }

  /** How many events wait for a Function; `undefined` while that is not known. */
  lagOf(name: string): number | undefined {
    return this.#eventing.lagOf(keyOf(name));
  }

  /** The dead letters of Triggers. */
  async letters(): Promise<TriggerLetters> {
    const letters = await this.#eventing.letters();
    if (letters === undefined) throw new Error('There is no Trigger that delivers events');
    return letters;
  }

  /** What keeps the events of Brokers. */
  get brokers(): Brokers {
    return this.#brokers;
  }

  #createBrokers(): Brokers {
    const { clock } = this.cluster;
    return new Brokers({
      gatewayHost: 'gateway.fnlet-system.svc.cluster.local',
      client: createClient(this.cluster.transport(), { fieldManager: 'fnlet', clock }),
      gateway: { setService: () => {}, removeService: () => {} },
      openLog: async () => this.log,
      random: seededRandom(2),
      logger: silentLogger,
      clock,
    });
  }

  async applyBroker(name: string, spec: object = {}): Promise<void> {
    await this.cluster.client.of(brokerType).apply(
      Object({
        ...{ apiVersion: 'fnlet.dev/v1alpha1', kind: 'Broker' },
        ...{ metadata: { namespace, name }, spec },
      }),
    );
    await this.cluster.settle();
  }

  #create(): Eventing {
    const { clock } = this.cluster;
    return createEventing({
      client: createClient(this.cluster.transport(), { fieldManager: 'fnlet', clock }),
      gateway: {
        setHttpRoutes: (routes) => {
          this.routes.clear();
          for (const route of routes) this.routes.set(route.id, route);
          this.told.push(`all ${this.routes.size}`);
        },
        setHttpRoute: (route) => {
          this.routes.set(route.id, route);
          this.told.push(`set ${route.id}`);
        },
        setEventSinks: (responder) => {
          this.sinks = responder;
        },
        setCertificates: (certificates) => {
          this.certificates = certificates;
        },
        removeHttpRoute: (id) => {
          this.routes.delete(id);
          this.told.push(`remove ${id}`);
        },
      },
      gatewayUrls: this.#listening.promise,
      delivery: {
        openLog: async () => {
          if (this.logTrouble !== undefined) throw this.logTrouble;
          return this.log;
        },
        ...(this.#ownership === undefined ? {} : { ownership: this.#ownership }),
        invoke: (call, signal) => this.#invoke(call, signal),
        port: { post: () => Promise.reject(new Error('There is no way out')) },
        brokers: this.#brokers,
        operators: {
          has: (operator) => this.#operators.has(formatObjectKey(operator)),
          wake: async (operator, object, by) => {
            const asked = { operator: formatObjectKey(operator), object: formatObjectKey(object) };
            if (this.wakeOutcome === 'noted') this.woken.push({ ...asked, by });
            return this.wakeOutcome;
          },
          subscribe: (listener) => {
            this.#operatorListeners.add(listener);
            return () => this.#operatorListeners.delete(listener);
          },
        },
      },
      clock,
      random: seededRandom(1),
      logger: silentLogger,
    });
  }

  async #invoke(call: Invocation, signal: AbortSignal): Promise<InvocationAnswer> {
    this.calls.push(call);
    const status = await this.answer(call, signal);
    const { headers = {}, body = new Uint8Array() } = this.reply(call) ?? {};
    return { kind: 'answered', status, headers: Object.entries(headers), body, truncated: false };
  }

  /** A Trigger of another namespace is named `namespace/name`, here and below. */
  async apply(name: string, http: object, target: object = { function: 'hello' }): Promise<void> {
    await this.applySpec(name, { source: { http }, target });
  }

  async applySpec(name: string, spec: object): Promise<void> {
    const object = {
      apiVersion: 'fnlet.dev/v1alpha1',
      kind: 'Trigger',
      metadata: keyOf(name),
      spec,
    };
    await this.triggers.apply(object, { force: true });
    await this.cluster.settle();
  }

  /** Lets time pass. */
  async pass(durationMs: number): Promise<void> {
    await this.cluster.advance(durationMs);
  }

  /** What stands in the status of a Trigger. */
  async status(name: string): Promise<TriggerStatus> {
    return (await this.triggers.get(keyOf(name))).status ?? {};
  }

  async delete(name: string): Promise<void> {
    await this.triggers.delete(keyOf(name));
    await this.cluster.settle();
  }

  /** There is an Operator from now on. */
  async addOperator(name: string): Promise<void> {
    const key = keyOf(name);
    this.#operators.add(formatObjectKey(key));
    for (const listener of this.#operatorListeners) listener(key);
    await this.cluster.settle();
  }

  async createFunction(name: string): Promise<void> {
    await this.functions.create(
      Object({
        apiVersion: 'fnlet.dev/v1alpha1',
        kind: 'Function',
        metadata: { namespace, name },
        spec: { runtime: 'nodejs24', source: { inline: 'x' } },
      }),
    );
    await this.cluster.settle();
  }

  /** Makes a Secret say this. */
  async setSecret(
    name: string,
    values: Readonly<Record<string, string>>,
    inNamespace: string = namespace,
  ): Promise<void> {
    const data = Object.entries(values).map(([key, value]) => [key, btoa(value)]);
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: inNamespace },
      data: Object.fromEntries(data),
    };
    await this.cluster.client.of<KubeObject>(secretType).apply(secret, { force: true });
    await this.cluster.settle();
  }

  async deleteSecret(name: string): Promise<void> {
    await this.cluster.client.of<KubeObject>(secretType).delete({ namespace, name });
    await this.cluster.settle();
  }

  /** Lets the ServiceAccount default see objects of the core group. */
  async allow(...resources: readonly string[]): Promise<void> {
    const metadata = { name: 'sees', namespace };
    const roles = this.cluster.client.of<KubeObject>(rbacType('Role', 'roles'));
    const rules = [{ apiGroups: ['*'], resources, verbs: ['list', 'watch'] }];
    const head = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata };
    await roles.apply(Object({ ...head, kind: 'Role', rules }), { force: true });
    const bindings = this.cluster.client.of<KubeObject>(rbacType('RoleBinding', 'rolebindings'));
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'sees' };
    const subjects = [{ kind: 'ServiceAccount', name: 'default', namespace }];
    await bindings.apply(Object({ ...head, kind: 'RoleBinding', roleRef, subjects }), {
      force: true,
    });
  }

  /** Makes a ConfigMap say this. */
  async setConfigMap(
    name: string,
    data: Readonly<Record<string, string>>,
    labels: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const metadata = { name, namespace, labels };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
    await this.configMaps.apply(object, { force: true });
    await this.cluster.settle();
  }

  get configMaps(): ResourceClient<KubeObject> {
    return this.cluster.client.of<KubeObject>(configMapType);
  }

  async ready(name: string): Promise<Condition | undefined> {
    const { status } = await this.triggers.get(keyOf(name));
    return findCondition(status?.conditions, 'Ready');
  }

  async url(name: string): Promise<string | undefined> {
    return (await this.triggers.get(keyOf(name))).status?.url;
  }

  async events(name: string): Promise<readonly string[]> {
    const { items } = await this.cluster.client.of<KubeEvent>(eventType).list({ namespace });
    const own = items.filter(({ involvedObject }) => involvedObject.name === name);
    return own.map(({ type, reason }) => `${type} ${reason}`);
  }

  /** What a route takes, as text. */
  taken(name: string): readonly string[] {
    return (this.routes.get(formatObjectKey(keyOf(name)))?.matches ?? []).map(
      ({ host, path, methods }) =>
        `${methods.join()} ${host}/${path.segments.map((each) => each ?? '{}').join('/')}`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.#running;
    await this.cluster.close();
  }
}
