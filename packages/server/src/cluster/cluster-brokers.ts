/**
 * Brokers in a cluster: events come in at Gateways, and are kept in the replica of the controller
 * that leads.
 *
 * I1. Nothing is loaded before the first Broker is there.
 * I2. A log that cannot be opened keeps Brokers from running, and nothing else.
 */
import { brokerType } from '@fnlet/api';
import {
  backoffDelayMs,
  type Clock,
  errorMessage,
  type Logger,
  type MetricFamily,
  type Random,
  sleep,
} from '@fnlet/base';
import type { Client } from '@fnlet/client';
import type { BrokerWays } from '@fnlet/eventing';
import type { Log } from '@fnlet/store/log';
import { LateBrokers } from '../late-brokers.ts';
import type { EventHistory, LateEventTail } from '../late-event-tail.ts';
import type { Loops } from './cluster-process.ts';
import { awaitFirstObject } from './first-object.ts';
import type { FleetRoutes } from './fleet-routes.ts';
import { brokersRetry, brokersStartMs } from './limits.ts';

export interface ClusterBrokersOptions {
  readonly client: Client;
  /** Told of their names. */
  readonly routes: FleetRoutes;
  /** Name of the Gateway for those inside, which Services of Brokers lead to. */
  readonly gatewayHost: string;
  readonly openLog: () => Promise<Log>;
  /** Told what happens to events. */
  readonly eventTail: LateEventTail;
  readonly loops: Loops;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export class ClusterBrokers {
  readonly #options: ClusterBrokersOptions;
  readonly #late = new LateBrokers();
  readonly #restored = Promise.withResolvers<void>();
  #isFound = false;
  #metrics: (() => readonly MetricFamily[]) | undefined;
  /** Of those that run now: a log that could not be opened is tried again with others. */
  #history: EventHistory | undefined;

  constructor(options: ClusterBrokersOptions) {
    this.#options = options;
    options.eventTail.add(async (query, sinceMs) => (await this.#history?.(query, sinceMs)) ?? []);
  }

  /** How Triggers reach them, also before there is one. */
  get ways(): BrokerWays {
    return this.#late;
  }

  /** Begins; resolves once the names of all Brokers that there are are known. */
  async begin(): Promise<void> {
    const { client, loops, clock, random, logger } = this.#options;
    const found = (): void => {
      this.#isFound = true;
      loops.run('brokers', (signal) => this.#keepRunning(signal));
    };
    await awaitFirstObject({ client, type: brokerType, loops, found, clock, random, logger });
    if (!this.#isFound) return;
    const enough = new AbortController();
    await Promise.race([this.#restored.promise, sleep(clock, brokersStartMs, enough.signal)]);
    enough.abort();
  }

  metrics(): readonly MetricFamily[] {
    return this.#metrics?.() ?? [];
  }

  // I2
  async #keepRunning(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        await this.#run(signal);
      } catch (error) {
        if (signal.aborted) return;
        logger.warn('Cannot run Brokers yet', { error: errorMessage(error) });
        await sleep(clock, backoffDelayMs(failures, brokersRetry), signal);
      }
    }
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { Brokers } = await import('@fnlet/eventing/brokers');
    const { client, routes, gatewayHost, openLog, eventTail } = this.#options;
    const { clock, random, logger } = this.#options;
    const brokers = new Brokers({
      ...{ client, gateway: routes, gatewayHost, openLog, clock, random, logger },
      tail: eventTail.tail,
    });
    this.#late.begin(brokers);
    this.#history = (query, sinceMs) => brokers.history(query, sinceMs);
    this.#metrics = () => brokers.metrics();
    const stop = new AbortController();
    const running = brokers.run(AbortSignal.any([signal, stop.signal]));
    try {
      await Promise.race([brokers.restored, running]);
      this.#restored.resolve();
      await running;
    } finally {
      // The next try finds nobody at work.
      stop.abort();
      await running.catch(() => {});
    }
  }
}
