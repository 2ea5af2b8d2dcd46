/**
 * Triggers in a cluster: what runs them in an embedded Fnlet, in the replica of the controller that
 * leads. Gateways are told their routes; events are kept and delivered here.
 *
 * I1. Nothing is loaded before the first Trigger is there.
 */
import { triggerType } from '@fnlet/api';
import type { Clock, Logger, MetricFamily, Random } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import type { BrokerWays, Eventing, OperatorWays } from '@fnlet/eventing';
import type { Invoker } from '@fnlet/invocation';
import type { ObjectKey } from '@fnlet/machinery';
import type { Log } from '@fnlet/store/log';
import { createEventPort } from '../event-port.ts';
import type { LateDeadLetters } from '../late-dead-letters.ts';
import type { LateEventTail } from '../late-event-tail.ts';
import type { Loops } from './cluster-process.ts';
import { awaitFirstObject } from './first-object.ts';
import type { FleetRoutes } from './fleet-routes.ts';
import { createToldPolicies } from './told-policies.ts';

export interface ClusterTriggersOptions {
  readonly client: Client;
  /** Told of routes. */
  readonly routes: FleetRoutes;
  /** Calls Functions. */
  readonly invoke: Invoker;
  readonly openLog: () => Promise<Log>;
  readonly brokers: BrokerWays;
  readonly operators: OperatorWays;
  /** Told of Triggers once there are some. */
  readonly letters: LateDeadLetters;
  /** Told what happens to events. */
  readonly eventTail: LateEventTail;
  /** Where people reach the Gateway. */
  readonly gatewayUrl: string;
  readonly loops: Loops;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export class ClusterTriggers {
  readonly #options: ClusterTriggersOptions;
  readonly #restored = Promise.withResolvers<void>();
  #isFound = false;
  #eventing: Eventing | undefined;

  constructor(options: ClusterTriggersOptions) {
    this.#options = options;
    // Who waits for it is told; later nobody does.
    this.#restored.promise.catch(() => {});
  }

  /** Begins; resolves once the routes of all Triggers that there are are known. */
  async begin(): Promise<void> {
    const { client, loops, clock, random, logger } = this.#options;
    const found = (): void => {
      this.#isFound = true;
      loops.run('triggers', (signal) => this.#run(signal));
    };
    await awaitFirstObject({ client, type: triggerType, loops, found, clock, random, logger });
    if (this.#isFound) await this.#restored.promise;
    this.#options.letters.start();
  }

  /** How many events wait for a Function; `undefined` while that is not known. */
  lagOf(key: ObjectKey): number | undefined {
    return this.#eventing === undefined && !this.#isFound ? 0 : this.#eventing?.lagOf(key);
  }

  /** See {@link Eventing.lagOfTrigger}. */
  lagOfTrigger(key: ObjectKey): ReturnType<Eventing['lagOfTrigger']> {
    return this.#eventing?.lagOfTrigger(key);
  }

  metrics(): readonly MetricFamily[] {
    return this.#eventing?.metrics() ?? [];
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { createEventing } = await import('@fnlet/eventing');
    const { client, routes, invoke, openLog, brokers, operators } = this.#options;
    const { letters, eventTail } = this.#options;
    const { tail } = eventTail;
    const { gatewayUrl: http, clock, random, logger } = this.#options;
    // Where people come by TLS, something before the Gateways speaks it.
    const urls = http.startsWith('https:') ? { http, https: http } : { http };
    const eventing = createEventing({
      ...{ client, gateway: routes, gatewayUrls: Promise.resolve(urls), clock, random, logger },
      createPolicies: createToldPolicies,
      delivery: { openLog, invoke, brokers, operators, port: createEventPort(), tail },
    });
    this.#eventing = eventing;
    letters.begin(() => eventing.letters());
    eventTail.add((query, sinceMs) => eventing.history(query, sinceMs));
    void eventing.restored.then(this.#restored.resolve, this.#restored.reject);
    await eventing.run(signal);
  }
}
