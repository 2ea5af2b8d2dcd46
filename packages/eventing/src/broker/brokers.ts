/**
 * Brokers brought to life: each has a stream of the log and a name inside.
 *
 * I1. A Broker has its name again before `restored` resolves, so that nobody is told that there is
 *     none who sends events after a restart.
 * I2. When a Broker is gone, so are its name and its events, also when it went while nobody looked.
 * I3. One that keeps nothing costs nothing: it is looked at while it keeps events.
 */
import { type BrokerObject, brokerType, type DeliveryPolicy, parseBroker } from '@fnlet/api';
import {
  type Clock,
  errorMessage,
  jsonEqual,
  type Logger,
  type MetricFamily,
  type Random,
} from '@fnlet/base';
import type { Cache, Client } from '@fnlet/client';
import type { Gateway } from '@fnlet/gateway';
import { formatObjectKey, type ObjectKey, objectKey } from '@fnlet/machinery';
import {
  type Controller,
  createController,
  createEventRecorder,
  createManager,
  createStatusWriter,
  type EventRecorder,
  fromCache,
  type Manager,
  type Result,
  type StatusWriter,
} from '@fnlet/reconcile';
import type { Log } from '@fnlet/store/log';
import type { CloudEvent } from '../event/cloud-event.ts';
import {
  type EventHappening,
  type EventPlace,
  isWanted,
  type TailQuery,
} from '../tail/event-happening.ts';
import type { EventTail } from '../tail/event-tail.ts';
import { BrokerError } from './broker-error.ts';
import { type AcceptEvents, createBrokerIngress } from './broker-ingress.ts';
import { BrokerLog } from './broker-log.ts';
import { type BrokerCounts, brokerFamilies, noBrokerCounts } from './broker-metrics.ts';
import { brokerStreams } from './broker-stream.ts';
import type { BrokerWays, FoundBroker } from './broker-ways.ts';
import { ensureBrokerService } from './ensure-broker-service.ts';
import { brokerLimits } from './limits.ts';
import { type BrokerService, serviceType } from './plan-broker-service.ts';
import { type BrokerTrouble, brokerService, planBrokerStatus } from './plan-broker-status.ts';

export interface BrokersOptions {
  readonly client: Client;
  readonly gateway: Pick<Gateway, 'setService' | 'removeService'>;
  /** Name of the Gateway inside the cluster, which the Services of Brokers lead to. */
  readonly gatewayHost: string;
  readonly openLog: () => Promise<Log>;
  /** Who is told of events. Default: nobody. */
  readonly tail?: EventTail;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** A Broker that takes events. */
interface StandingBroker {
  readonly key: ObjectKey;
  /** As it was when it was first looked at; what is told of it concerns this object. */
  readonly object: BrokerObject;
  readonly log: BrokerLog;
  readonly counts: BrokerCounts;
  delivery: DeliveryPolicy | undefined;
  /** Whether it will be looked at by itself. */
  watched: boolean;
}

/** As Knative's ingress is called, with the path `/<namespace>/<name>`. */
const knativeIngress = { namespace: 'knative-eventing', name: 'broker-ingress' };

export class Brokers implements BrokerWays {
  readonly #options: BrokersOptions;
  readonly #manager: Manager;
  readonly #cache: Cache<BrokerObject>;
  readonly #controller: Controller;
  readonly #status: StatusWriter<BrokerObject>;
  readonly #events: EventRecorder;
  readonly #standing = new Map<string, StandingBroker>();
  readonly #listeners = new Set<(key: ObjectKey) => void>();
  /** Resolves once all Brokers that there are have their names. */
  readonly restored: Promise<void>;

  constructor(options: BrokersOptions) {
    const { client, clock, random, logger } = options;
    this.#options = options;
    this.#manager = createManager({ client, clock, random, logger });
    this.#cache = this.#manager.cache<BrokerObject>(brokerType, { keep: ['spec', 'status'] });
    this.#status = createStatusWriter({ client: this.#manager.client.of(brokerType), clock });
    this.#events = createEventRecorder({ client, component: 'fnlet', clock, random, logger });
    this.#manager.addService(this.#events);
    this.restored = this.#cache.synced.then(() => this.#restore());
    this.#controller = createController({
      name: 'brokers',
      sources: [{ synced: this.restored, start: () => () => {} }, fromCache(this.#cache)],
      reconcile: (key, { signal }) => this.#reconcile(key, signal),
      concurrency: brokerLimits.workers,
      ...{ clock, random, logger },
    });
    this.#manager.addController(this.#controller);
  }

  /** Works until `signal` aborts. To be called once. */
  run(signal: AbortSignal): Promise<void> {
    return this.#manager.run(signal);
  }

  /** What is counted about Brokers. */
  metrics(): readonly MetricFamily[] {
    return brokerFamilies([...this.#standing.values()]);
  }

  find(key: ObjectKey): FoundBroker | undefined {
    const standing = this.#standing.get(formatObjectKey(key));
    return standing && { uid: standing.log.uid, delivery: standing.delivery };
  }

  subscribe(listener: (key: ObjectKey) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async accept(key: ObjectKey, events: readonly CloudEvent[]): Promise<void> {
    const standing = this.#standing.get(formatObjectKey(key));
    if (standing === undefined) throw this.#missing(key);
    const isNew = await standing.log.accept(events);
    const accepted = isNew.filter((each) => each).length;
    standing.counts.accepted += accepted;
    standing.counts.duplicate += isNew.length - accepted;
    const { tail, clock } = this.#options;
    if (tail?.isWatched === true) {
      for (const [index, event] of events.entries()) {
        const outcome = isNew[index] === true ? 'accepted' : 'duplicate';
        tail.tell({ ...placeOf(key), timeMs: clock.now(), outcome, event });
      }
    }
    if (!standing.watched) {
      standing.watched = true;
      this.#controller.enqueue(key);
    }
  }

  async acceptEverywhere(name: string, events: readonly CloudEvent[]): Promise<void> {
    const keys = [...this.#standing.values()].map(({ key }) => key);
    const wanted = keys.filter((key) => key.name === name);
    const kept = await Promise.allSettled(wanted.map((key) => this.accept(key, events)));
    for (const outcome of kept) if (outcome.status === 'rejected') throw outcome.reason;
  }

  /** What Brokers keep from a time on, those that are wanted. */
  async history(query: TailQuery, sinceMs: number): Promise<readonly EventHappening[]> {
    const wanted = [...this.#standing.values()].filter(({ key }) => isWanted(query, placeOf(key)));
    const found = await Promise.all(
      wanted.map(({ key, log }) => log.history(placeOf(key), sinceMs)),
    );
    return found.flat();
  }

  async #restore(): Promise<void> {
    const { openLog, logger, gateway } = this.#options;
    gateway.setService(
      knativeIngress,
      createBrokerIngress((path) => {
        const [, namespace = '', name = '', ...rest] = path.split('/');
        return rest.join('') === '' ? this.#accepting({ namespace, name }) : undefined;
      }),
    );
    const uids = new Set<string>();
    for (const object of this.#cache.list()) {
      uids.add(object.metadata.uid ?? '');
      try {
        await this.#stand(parseBroker(object));
      } catch (error) {
        logger.warn('A Broker is left out', { error: errorMessage(error) });
      }
    }
    const log = await openLog();
    for (const name of await log.streams(brokerStreams)) {
      if (!uids.has(name.slice(brokerStreams.length))) await log.removeStream(name);
    }
  }

  async #reconcile(key: ObjectKey, signal: AbortSignal): Promise<Result | undefined> {
    const found = this.#cache.get(key);
    const broker = found === undefined ? undefined : parseBroker(found);
    const before = this.#standing.get(formatObjectKey(key));
    const isOther = before !== undefined && before.log.uid !== broker?.metadata.uid;
    if (isOther) await this.#remove(before);
    if (broker === undefined || broker.metadata.deletionTimestamp !== undefined) return undefined;
    try {
      return await this.#look(broker, signal);
    } catch (error) {
      const trouble: BrokerTrouble = { message: errorMessage(error) };
      await this.#status.write(broker, planBrokerStatus(broker, trouble), signal);
      throw error;
    }
  }

  async #look(broker: BrokerObject, signal: AbortSignal): Promise<Result | undefined> {
    const standing = await this.#stand(broker);
    standing.watched = false;
    const found = await standing.log.look(broker);
    standing.counts.events = found.events;
    standing.counts.bytes = found.bytes;
    standing.counts.lost += found.lost;
    const { client } = this.#manager;
    const { gatewayHost } = this.#options;
    const services = client.of<BrokerService>(serviceType);
    const nameTrouble = await ensureBrokerService(broker, services, { gatewayHost, signal });
    await this.#status.write(broker, planBrokerStatus(broker, { ...found, nameTrouble }), signal);
    if (found.events === 0 && nameTrouble === undefined) return undefined;
    standing.watched = true;
    return { requeueAfterMs: brokerLimits.lookMs };
  }

  /** Opens its stream, with the bounds as they are now, and gives it its name. */
  async #stand(broker: BrokerObject): Promise<StandingBroker> {
    const { openLog, clock, gateway } = this.#options;
    const key = objectKey(broker);
    const id = formatObjectKey(key);
    const log = await BrokerLog.open(broker, { log: await openLog(), clock });
    const before = this.#standing.get(id);
    const { delivery } = broker.spec;
    if (before !== undefined && before.log.uid === log.uid) {
      const isEdited = !jsonEqual(before.delivery, delivery);
      before.delivery = delivery;
      if (isEdited) this.#tell(key);
      return before;
    }
    const standing: StandingBroker = {
      key,
      object: broker,
      log,
      delivery,
      counts: noBrokerCounts(),
      watched: false,
    };
    this.#standing.set(id, standing);
    gateway.setService(
      brokerService(key),
      createBrokerIngress((path) => (path === '/' ? this.#accepting(key) : undefined)),
    );
    this.#tell(key);
    return standing;
  }

  async #remove({ key, object, log }: StandingBroker): Promise<void> {
    const { openLog, gateway } = this.#options;
    gateway.removeService(brokerService(key));
    this.#standing.delete(formatObjectKey(key));
    this.#tell(key);
    const wanted = await log.wanted();
    await (await openLog()).removeStream(`${brokerStreams}${log.uid}`);
    if (wanted === 0) return;
    const message = `${wanted} events that not all of its Triggers were done with went with the Broker`;
    this.#events.record(object, { type: 'Warning', reason: 'EventsDropped', message });
  }

  #tell(key: ObjectKey): void {
    for (const listener of this.#listeners) listener(key);
  }

  #accepting(key: ObjectKey): AcceptEvents | undefined {
    const isThere = this.#cache.get(key) !== undefined;
    return isThere ? (events) => this.accept(key, events) : undefined;
  }

  #missing(key: ObjectKey): BrokerError {
    const id = formatObjectKey(key);
    return this.#cache.get(key) === undefined
      ? new BrokerError('NotFound', `Cannot find Broker "${id}": there is none`)
      : new BrokerError('NotReady', `Cannot keep events in Broker "${id}": it is not ready yet`);
  }
}

function placeOf({ namespace, name }: ObjectKey): EventPlace {
  return { kind: 'Broker', namespace, name };
}
