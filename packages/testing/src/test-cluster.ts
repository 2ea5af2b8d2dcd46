/*
 * A Kubernetes API in this process for one test: its store is memory, its clock is the test's, and
 * it opens no socket unless asked to.
 *
 * I1. Clusters share nothing: any number run side by side.
 * I2. Whatever a cluster has started ends with its `close`.
 * I3. A snapshot never changes; each fork goes its own way from there.
 */
import {
  adminUser,
  createApiServer,
  createCertificates,
  type HttpsFront,
  listenHttps,
  type PostToWebhook,
  type TlsIdentity,
  type User,
} from '@fnlet/apiserver';
import {
  type Clock,
  type Logger,
  parseDuration,
  seededRandom,
  silentLogger,
  systemClock,
  systemRandom,
  VirtualClock,
} from '@fnlet/base';
import { type Client, createClient, formatKubeconfig, type Transport } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import { type MemoryStore, openMemoryStore, type StoreSnapshot } from '@fnlet/store';
import type { FaultSwitches } from './fault-switches.ts';
import { FaultyServer } from './faulty-server.ts';
import { installObjects } from './install-objects.ts';
import { limits } from './limits.ts';
import { TestClusterError } from './test-cluster-error.ts';
import { describeWrites, type WriteJournal } from './write-journal.ts';

/** The state of a cluster at one moment. Costs little: values are shared until they change. */
export interface TestSnapshot {
  readonly store: StoreSnapshot;
  /** The cluster's time, in milliseconds since the Unix epoch. */
  readonly nowMs: number;
}

export interface TestClusterOptions {
  /**
   * `virtual` (the default) stands still until `advance()`; `system` is the machine's, which clients
   * outside this process expect.
   */
  readonly clock?: 'virtual' | 'system';
  /** Makes uids and generated names repeatable. Default 1. */
  readonly seed?: number;
  /**
   * Objects that are there from the start, such as definitions of kinds and Namespaces; created in
   * this order, each definition served before what follows it.
   */
  readonly objects?: readonly KubeObject[];
  /** A state to continue from. */
  readonly from?: TestSnapshot;
  /** Whether to listen at once; `kubeconfig()` listens when it must. Default false. */
  readonly listen?: boolean;
  /**
   * Answers the API when it asks a webhook, whatever the webhook's address is. Default: webhooks are
   * asked over HTTPS.
   */
  readonly webhooks?: (request: Request) => Promise<Response>;
  /** Default: says nothing. */
  readonly logger?: Logger;
}

/** An embedded API for one test. */
export interface TestCluster extends AsyncDisposable {
  /** The administrator's client, owner of fields `test`. */
  readonly client: Client;
  /** What goes wrong, and when. */
  readonly faults: FaultSwitches;
  /** Every write request since the start, or since `writes.clear()`. */
  readonly writes: WriteJournal;
  /** What the cluster, and the code under test, tells the time by. */
  readonly clock: Clock;
  /** The way into the API for code under test. Default: the administrator. */
  transport(user?: User): Transport;
  /**
   * Moves a virtual clock on by a duration such as `30s`, or by milliseconds. When a timer fires
   * on the way, the work that it sets off is done before time moves on: what repeats every minute
   * happens ten times in `10m`.
   *
   * @throws TestClusterError `SystemClock`, `Unsettled`
   */
  advance(duration: string | number): Promise<void>;
  /**
   * Resolves when nothing has been written and no request was in flight for some turns of the event
   * loop. Time does not move: what waits for a later moment is not waited for.
   *
   * @throws TestClusterError `Unsettled`
   */
  settle(): Promise<void>;
  /** The text of a kubeconfig of the administrator; the cluster listens from then on. */
  kubeconfig(): Promise<string>;
  /** `https://127.0.0.1:…` once the cluster listens. */
  readonly url: string | undefined;
  /** The state of now, to begin any number of clusters from. */
  snapshot(): TestSnapshot;
  /** A second cluster that starts as this one is now. */
  fork(options?: Omit<TestClusterOptions, 'from' | 'objects'>): Promise<TestCluster>;
  /** Ends everything that the cluster has started; `await using` does it. */
  close(): Promise<void>;
}

/**
 * Starts a Kubernetes API for one test, in milliseconds.
 *
 * @example
 * await using cluster = await startTestCluster({ objects: [siteCrd] });
 * const sites = cluster.client.of<Site>(siteType);
 * await sites.create({ ... });
 * await cluster.advance('30s');
 *
 * @throws TestClusterError `KindNotServed`; StatusError for an object that the API refuses
 */
export async function startTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const { from, clock: kind = 'virtual', objects = [], listen = false } = options;
  const clock = kind === 'system' ? systemClock : new VirtualClock(from?.nowMs);
  const cluster = new InProcessCluster(clock, options);
  try {
    await cluster.start();
    await installObjects(cluster.client.transport, objects);
    if (listen) await cluster.kubeconfig();
  } catch (error) {
    await cluster.close();
    throw error;
  }
  // What preparing the test wrote is not what the test writes.
  cluster.writes.clear();
  return cluster;
}

interface Listening {
  readonly front: HttpsFront;
  readonly tls: TlsIdentity;
}

function unsettled(found: string): TestClusterError {
  return new TestClusterError('Unsettled', `Cannot settle: found ${found}, expected none`, {
    remedy: 'Look for a loop that goes on and on without waiting, or for very short times',
  });
}

function inProcess(webhooks: (request: Request) => Promise<Response>): PostToWebhook {
  return async ({ url, body }) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await webhooks(new Request(url, { method: 'POST', headers, body }));
    return { status: answer.status, text: await answer.text() };
  };
}

class InProcessCluster implements TestCluster {
  readonly clock: Clock;
  readonly client: Client;
  readonly #options: TestClusterOptions;
  readonly #store: MemoryStore;
  readonly #server: FaultyServer;
  readonly #token: string;
  #listening: Promise<Listening> | undefined;
  #url: string | undefined;

  constructor(clock: Clock, options: TestClusterOptions) {
    const { seed = 1, from, logger = silentLogger, webhooks } = options;
    const random = seededRandom(seed);
    this.clock = clock;
    this.#options = options;
    // A secret, even on loopback: never from the seed.
    this.#token = systemRandom.uuid();
    this.#store = openMemoryStore({ from: from?.store });
    const tokens = [{ token: this.#token, user: adminUser }];
    const server = createApiServer({
      ...{ store: this.#store, clock, random, logger, tokens },
      ...(webhooks === undefined ? {} : { postToWebhook: inProcess(webhooks) }),
    });
    this.#server = new FaultyServer(server, clock);
    this.client = createClient(this.#server.transport(), { fieldManager: 'test', clock });
  }

  get faults(): FaultSwitches {
    return this.#server.faults;
  }

  get writes(): WriteJournal {
    return this.#server.writes;
  }

  get url(): string | undefined {
    return this.#url;
  }

  start(): Promise<void> {
    return this.#server.start();
  }

  transport(user?: User): Transport {
    return this.#server.transport(user);
  }

  async advance(duration: string | number): Promise<void> {
    if (!(this.clock instanceof VirtualClock)) {
      const message = 'Cannot advance the clock: found the system clock, expected a virtual one';
      throw new TestClusterError('SystemClock', message, {
        remedy: "Start the cluster without `clock: 'system'`",
      });
    }
    const { clock } = this;
    const untilMs =
      clock.now() + (typeof duration === 'number' ? duration : parseDuration(duration));
    await this.settle();
    for (let timers = 0; timers < limits.timersMax; timers++) {
      const dueMs = clock.nextDueMs;
      const isLast = dueMs === undefined || dueMs > untilMs;
      await clock.advance((isLast ? untilMs : dueMs) - clock.now());
      await this.settle();
      if (isLast) return;
    }
    throw unsettled(`timers that fire after ${limits.timersMax} others`);
  }

  async settle(): Promise<void> {
    let quiet = 0;
    let { revision } = this.#store;
    for (let turn = 0; turn < limits.settleTurnsMax; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      const isQuiet = this.#store.revision === revision && this.#server.inFlight === 0;
      quiet = isQuiet ? quiet + 1 : 0;
      revision = this.#store.revision;
      if (quiet >= limits.settledTurns) return;
    }
    const last = describeWrites(this.writes.entries.slice(-3));
    const found = `new writes or requests after ${limits.settleTurnsMax} turns`;
    throw unsettled(last === '' ? found : `${found} (the last writes: ${last})`);
  }

  async kubeconfig(): Promise<string> {
    this.#listening ??= this.#listen();
    const { front, tls } = await this.#listening;
    const { caPem } = tls;
    return formatKubeconfig({ name: 'test', server: front.url, caPem, token: this.#token });
  }

  async #listen(): Promise<Listening> {
    // Certificates are judged by clients, on the machine's time.
    const tls = await createCertificates(systemClock.now());
    const where = { host: '127.0.0.1', port: 0 };
    const front = await listenHttps(this.#server, { ...where, tls, clock: systemClock });
    this.#url = front.url;
    return { front, tls };
  }

  snapshot(): TestSnapshot {
    return { store: this.#store.snapshot(), nowMs: this.clock.now() };
  }

  fork(options: Omit<TestClusterOptions, 'from' | 'objects'> = {}): Promise<TestCluster> {
    const { clock = 'virtual', seed = 1 } = this.#options;
    // A fork with the same chance would give new objects the uids of its parent's.
    const defaults = { clock, seed: seed + this.#store.revision };
    return startTestCluster({ ...defaults, ...options, from: this.snapshot() });
  }

  async close(): Promise<void> {
    const listening = await this.#listening?.catch(() => undefined);
    await listening?.front.close();
    await this.#server.close();
    await this.#store.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
