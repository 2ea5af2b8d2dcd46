import { type BrokerObject, brokerCrd, brokerType, parseBroker } from '@fnlet/api';
import { seededRandom, silentLogger } from '@fnlet/base';
import { createClient, type ResourceClient } from '@fnlet/client';
import type { ReceivedRequest, Responder, ResponderAnswer } from '@fnlet/gateway';
import type { HeaderField } from '@fnlet/invocation';
import type { KubeObject } from '@fnlet/machinery';
import { type Log, openMemoryLog } from '@fnlet/store/log';
import { startTestCluster, type TestCluster } from '@fnlet/testing';
import { brokerStream } from '../src/broker/broker-stream.ts';
import { Brokers } from '../src/broker/brokers.ts';
import { serviceType } from '../src/broker/plan-broker-service.ts';
import type { CloudEvent } from '../src/event/cloud-event.ts';
import type { HttpEventMessage } from '../src/event/http-event.ts';
import { unpackEvent } from '../src/event/packed-event.ts';

/** Brokers with an API and a log, on the test's clock. */
export class BrokerWorld implements AsyncDisposable {
  readonly cluster: TestCluster;
  readonly brokers: ResourceClient<KubeObject & { readonly spec: object }>;
  readonly servicesOf: ResourceClient<KubeObject & { readonly spec: { readonly type?: string } }>;
  readonly log: Log;
  /** Who answers for which Service. */
  readonly services: Map<string, Responder> = new Map();
  #abort = new AbortController();
  #room: Brokers;
  #running: Promise<void>;

  private constructor(cluster: TestCluster) {
    this.cluster = cluster;
    this.brokers = cluster.client.of(brokerType);
    this.servicesOf = cluster.client.of(serviceType);
    this.log = openMemoryLog({ clock: cluster.clock });
    this.#room = this.#create();
    this.#running = this.#room.run(this.#abort.signal);
  }

  static async start(): Promise<BrokerWorld> {
    const world = new BrokerWorld(await startTestCluster({ objects: [brokerCrd] }));
    await world.cluster.settle();
    return world;
  }

  get room(): Brokers {
    return this.#room;
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
    this.services.clear();
  }

  /** Starts it again, up to where senders would be let in. */
  async restart(): Promise<void> {
    await this.stop();
    this.#abort = new AbortController();
    this.#room = this.#create();
    this.#running = this.#room.run(this.#abort.signal);
    await this.cluster.settle();
    await this.#room.restored;
  }

  async create(name: string, spec: object = {}): Promise<BrokerObject> {
    const metadata = { name, namespace: 'default' };
    await this.brokers.create({
      ...{ apiVersion: 'fnlet.dev/v1alpha1', kind: 'Broker', metadata },
      spec,
    });
    await this.cluster.settle();
    return this.get(name);
  }

  async get(name: string): Promise<BrokerObject> {
    return parseBroker(await this.brokers.get({ namespace: 'default', name }));
  }

  /** Sends a request to a Service. */
  async send(
    service: string,
    message: Partial<HttpEventMessage>,
    asked: Partial<Pick<ReceivedRequest, 'method' | 'target'>> = {},
  ): Promise<ResponderAnswer | undefined> {
    const { headers = {}, body = new Uint8Array() } = message;
    const fields: HeaderField[] = Object.entries(headers);
    const request: ReceivedRequest = {
      ...{ call: undefined, method: 'POST', target: '/', headers: fields, body },
      ...{ remoteAddress: '127.0.0.1', ...asked },
    };
    const answer = this.services.get(service)?.respond(request, new AbortController().signal);
    await this.cluster.settle();
    return answer;
  }

  /** The events that a Broker keeps. */
  async kept({ metadata }: BrokerObject): Promise<readonly CloudEvent[]> {
    const stream = await this.log.stream(brokerStream(metadata.uid ?? ''));
    const records = await stream.read(0, { limit: 1_000 });
    return records.map(({ payload }) => unpackEvent(payload));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.log.close();
    await this.cluster[Symbol.asyncDispose]();
  }

  #create(): Brokers {
    const { clock } = this.cluster;
    return new Brokers({
      gatewayHost: 'gateway.fnlet-system.svc.cluster.local',
      client: createClient(this.cluster.transport(), { fieldManager: 'fnlet', clock }),
      gateway: {
        setService: ({ namespace, name }, responder) =>
          this.services.set(`${name}.${namespace}`, responder),
        removeService: ({ namespace, name }) => this.services.delete(`${name}.${namespace}`),
      },
      openLog: async () => this.log,
      random: seededRandom(1),
      logger: silentLogger,
      clock,
    });
  }
}
