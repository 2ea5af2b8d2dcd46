/**
 * Operators under test: a Kubernetes API, a clock that stands still, and the operators in between,
 * with the rights that they declare and no others.
 *
 * I1. Nothing moves but by `settle`, `tick` and the test's own writes.
 * I2. What the operators wrote is told apart from what the test wrote by its user.
 * I3. Whatever is settled is run once more, and must not be written again.
 */
import {
  type Clock,
  type JsonObject,
  seededRandom,
  silentLogger,
  systemClock,
  VirtualClock,
} from '@fnlet/base';
import { createClient, type ResourceClient } from '@fnlet/client';
import type { KubeObject, ObjectKey } from '@fnlet/machinery';
import {
  type Controller,
  createEventRecorder,
  createManager,
  createOperatorController,
  type Manager,
  OperatorWebhooks,
  resourceTypeOf,
} from '@fnlet/reconcile';
import {
  type Kind,
  type ObjectShape,
  type Operator,
  type PolicyRule,
  requiredDefinitions,
  requiredRules,
  type Wanted,
} from '@fnlet/sdk/operator';
import type { FaultSwitches } from './fault-switches.ts';
import { limits } from './limits.ts';
import { startTestCluster, type TestCluster, type TestClusterOptions } from './test-cluster.ts';
import { TestClusterError } from './test-cluster-error.ts';
import { describeWrites, type RecordedWrite } from './write-journal.ts';

export interface OperatorTestOptions
  extends Pick<TestClusterOptions, 'objects' | 'seed' | 'logger'> {
  /**
   * Whether the operators may do only what follows from what they declare. Default true; `false`
   * makes them administrators.
   */
  readonly restricted?: boolean;
  /** Whether `settle` runs everything once more and fails if that writes. Default true. */
  readonly twice?: boolean;
}

/** An object as a test writes it: the kind is named beside. */
export type ObjectOfKind<T extends ObjectShape> = Omit<Wanted<T>, 'apiVersion' | 'kind'>;

/** Operators on an API of their own. Objects without a namespace are in `default`. */
export interface OperatorTest extends AsyncDisposable {
  readonly cluster: TestCluster;
  readonly clock: Clock;
  /** What goes wrong for the operators, and when; the test itself is spared. */
  readonly faults: FaultSwitches;
  /**
   * What the operators have written since the start or the last `clearWrites`: objects and statuses,
   * refusals included; without Events.
   */
  readonly writes: readonly RecordedWrite[];
  clearWrites(): void;
  create<T extends ObjectShape>(kind: Kind<T>, object: ObjectOfKind<T>): Promise<T>;
  /** Server-side apply under the field manager `test`. */
  apply<T extends ObjectShape>(kind: Kind<T>, object: ObjectOfKind<T>): Promise<T>;
  /** A merge patch (RFC 7386), such as `{ spec: { replicas: 2 } }`. */
  patch<T extends ObjectShape>(
    kind: Kind<T>,
    name: string | ObjectKey,
    patch: JsonObject,
  ): Promise<T>;
  /** A merge patch of the status, as the controller of that kind would write it. */
  patchStatus<T extends ObjectShape>(
    kind: Kind<T>,
    name: string | ObjectKey,
    status: JsonObject,
  ): Promise<T>;
  delete(kind: Kind, name: string | ObjectKey): Promise<void>;
  get<T extends ObjectShape>(kind: Kind<T>, name: string | ObjectKey): Promise<T | undefined>;
  list<T extends ObjectShape>(kind: Kind<T>): Promise<readonly T[]>;
  /**
   * Resolves when the operators have done what they can do now; time does not move.
   *
   * @throws TestClusterError `Unsettled` when they never come to rest, `KindNotServed` when they wait
   *   for a kind that cannot be read, `NotIdempotent` when a second run of everything writes again
   */
  settle(): Promise<void>;
  /** Moves time on, such as by `30s`, timer by timer, and settles. */
  tick(duration: string | number): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts operators on an API of their own, with the definitions of their kinds.
 *
 * @example
 * await using t = await testOperator(webSites);
 * await t.create(WebSite.of({ metadata: { name: 'a' }, spec: { html: '<p>' } }));
 * await t.settle();
 * assert.equal((await t.get(Deployment, 'a'))?.spec?.replicas, 1);
 */
export async function testOperator(
  operators: Operator | readonly Operator[],
  options: OperatorTestOptions = {},
): Promise<OperatorTest> {
  const all: readonly Operator[] = 'reconcile' in operators ? [operators] : operators;
  const { restricted = true, objects = [], seed, logger } = options;
  const rights = rightsFor(restricted ? requiredRules(all) : everything);
  const webhooks = new OperatorWebhooks(all);
  const definitions = webhooks.withConversions(requiredDefinitions(all), webhookEndpoint);
  const { configurations } = webhooks.register(robot, webhookEndpoint);
  const handler = webhooks.handler({ clock: systemClock, logger: logger ?? silentLogger });
  const cluster = await startTestCluster({
    ...(seed === undefined ? {} : { seed }),
    ...(logger === undefined ? {} : { logger }),
    webhooks: handler,
    objects: [...definitions.map((crd) => ({ ...crd })), ...rights, ...objects, ...configurations],
  });
  return new RunningOperators(all, cluster, options);
}

/** Whose writes those of the operators are. */
const robot = 'operator';

/** Nobody is there: the API of a test asks webhooks in process. */
const webhookEndpoint = { url: 'https://operator.test' };

class RunningOperators implements OperatorTest {
  readonly cluster: TestCluster;
  readonly #options: OperatorTestOptions;
  readonly #manager: Manager;
  readonly #controllers: readonly Controller[];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(operators: readonly Operator[], cluster: TestCluster, options: OperatorTestOptions) {
    this.cluster = cluster;
    this.#options = options;
    const { clock } = cluster;
    const { logger = silentLogger, seed = 1 } = options;
    const transport = cluster.transport({ name: robot, groups: ['system:authenticated'] });
    const random = seededRandom(seed);
    const [first] = operators;
    const fieldManager = first?.name ?? robot;
    const shared = { clock, random, logger };
    const client = createClient(transport, { fieldManager, clock });
    const manager = createManager({ client, ...shared });
    const events = createEventRecorder({ client, component: fieldManager, ...shared });
    manager.addService(events);
    // One that writes for ever is to be found out, not slowed down.
    const breaker = { writesMax: Number.POSITIVE_INFINITY };
    this.#manager = manager;
    this.#controllers = operators.map((operator) =>
      createOperatorController({ operator, manager, events, breaker, ...shared }),
    );
    for (const controller of this.#controllers) manager.addController(controller);
    this.#running = manager.run(this.#stop.signal);
    // Who settles or closes is told.
    this.#running.catch(() => undefined);
  }

  get clock(): Clock {
    return this.cluster.clock;
  }

  get faults(): FaultSwitches {
    return this.cluster.faults.of(robot);
  }

  get writes(): readonly RecordedWrite[] {
    return this.cluster.writes.entries.filter(
      ({ user, resource }) => user === robot && resource !== 'events',
    );
  }

  clearWrites(): void {
    this.cluster.writes.clear();
  }

  async create<T extends ObjectShape>(kind: Kind<T>, object: ObjectOfKind<T>): Promise<T> {
    return typed(kind, await this.#client(kind).create(manifestOf(kind, object)));
  }

  async apply<T extends ObjectShape>(kind: Kind<T>, object: ObjectOfKind<T>): Promise<T> {
    return typed(kind, await this.#client(kind).apply(manifestOf(kind, object)));
  }

  async patch<T extends ObjectShape>(
    kind: Kind<T>,
    name: string | ObjectKey,
    patch: JsonObject,
  ): Promise<T> {
    const key = keyIn(kind, name);
    return typed(kind, await this.#client(kind).patch(key, { type: 'merge', patch }));
  }

  async patchStatus<T extends ObjectShape>(
    kind: Kind<T>,
    name: string | ObjectKey,
    status: JsonObject,
  ): Promise<T> {
    const patch = { type: 'merge', patch: { status } } as const;
    const where = { subresource: 'status' };
    return typed(kind, await this.#client(kind).patch(keyIn(kind, name), patch, where));
  }

  async delete(kind: Kind, name: string | ObjectKey): Promise<void> {
    await this.#client(kind).delete(keyIn(kind, name));
  }

  async get<T extends ObjectShape>(
    kind: Kind<T>,
    name: string | ObjectKey,
  ): Promise<T | undefined> {
    const found = await this.#client(kind).tryGet(keyIn(kind, name));
    return found === undefined ? undefined : typed(kind, found);
  }

  async list<T extends ObjectShape>(kind: Kind<T>): Promise<readonly T[]> {
    const found = await Array.fromAsync(this.#client(kind).listAll());
    return found.map((object) => typed(kind, object));
  }

  async settle(): Promise<void> {
    await this.#rest();
    if (this.#options.twice === false) return;
    // I3
    const before = this.writes.length;
    for (const controller of this.#controllers) controller.resync();
    await this.#rest();
    const again = this.writes.slice(before);
    if (again.length > 0) throw notIdempotent(again);
  }

  async tick(duration: string | number): Promise<void> {
    await this.cluster.advance(duration);
    await this.settle();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#ended();
    await this.cluster.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** A run that waits for something is given time to end, which nobody else moves any more. */
  async #ended(): Promise<void> {
    const ended = this.#running.then(() => true);
    const { clock } = this.cluster;
    while (!(await Promise.race([ended, nextTurn()]))) {
      if (clock instanceof VirtualClock) await clock.advance(limits.closeStepMs);
    }
  }

  /** Settles; an operator that has failed for good is why, when it cannot. */
  async #rest(): Promise<void> {
    await Promise.race([this.cluster.settle(), this.#running]);
    for (const { type, synced } of this.#manager.caches) {
      const isSynced = await Promise.race([synced.then(() => true), nextTurn()]);
      if (!isSynced) throw unread(type.plural);
    }
  }

  #client(kind: Kind): ResourceClient<KubeObject> {
    return this.cluster.client.of<KubeObject>(resourceTypeOf(kind));
  }
}

function nextTurn(): Promise<false> {
  return new Promise((resolve) => setImmediate(() => resolve(false)));
}

function keyIn({ scope }: Pick<Kind, 'scope'>, name: string | ObjectKey): ObjectKey {
  if (typeof name !== 'string') return name;
  return { name, namespace: scope === 'Cluster' ? '' : 'default' };
}

function manifestOf<T extends ObjectShape>(kind: Kind<T>, object: ObjectOfKind<T>): KubeObject {
  const { metadata, ...rest } = object;
  const { namespace, name } = keyIn(kind, metadata.name);
  const place = namespace === '' ? { name } : { namespace, name };
  const { apiVersion, kind: word } = kind;
  return { ...rest, apiVersion, kind: word, metadata: { ...place, ...metadata } };
}

// The kind's type is the author's word for what the server's schema ensures.
function typed<T extends ObjectShape>(kind: Kind<T>, object: KubeObject): T;
function typed(_: Kind, object: KubeObject): ObjectShape {
  return object;
}

/** The rights that follow from what operators declare, for the user that they run as. */
function rightsFor(rules: readonly PolicyRule[]): KubeObject[] {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: robot };
  const subjects = [{ apiGroup: roleRef.apiGroup, kind: 'User', name: robot }];
  return [
    { apiVersion, kind: 'ClusterRole', metadata: { name: robot }, rules },
    { apiVersion, kind: 'ClusterRoleBinding', metadata: { name: robot }, roleRef, subjects },
  ];
}

const everything: readonly PolicyRule[] = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];

function unread(plural: string): TestClusterError {
  const message = `Cannot settle: found that "${plural}" cannot be read, expected it to be served`;
  return new TestClusterError('KindNotServed', `${message}: without it the operators wait`, {
    remedy: 'Put its CustomResourceDefinition among the objects, or take back a fault',
  });
}

function notIdempotent(writes: readonly RecordedWrite[]): TestClusterError {
  const told = describeWrites(writes.slice(0, 5));
  return new TestClusterError(
    'NotIdempotent',
    `Cannot settle: found ${writes.length} writes of a second run, expected none: ${told}`,
    { remedy: 'Let reconcile answer the same when nothing has changed: no times, no chance' },
  );
}
