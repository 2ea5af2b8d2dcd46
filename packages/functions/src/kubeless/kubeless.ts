import type { Clock, Logger, Random } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import { createManager } from '@fnlet/reconcile';
import { addForeignKind } from '../foreign-objects.ts';
import { cronJobTriggers } from './cron-job-triggers.ts';
import { httpTriggers } from './http-triggers.ts';
import { kinesisTriggers } from './kinesis-triggers.ts';
import { kubelessFunctions } from './kubeless-functions.ts';
import { kafkaTriggers, natsTriggers } from './topic-triggers.ts';

export interface KubelessOptions {
  readonly client: Client;
  /** Where messages come from, of triggers that do not say it. */
  readonly brokers: KubelessBrokers;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Servers, between commas; Kubeless's controllers were told them by KAFKA_BROKERS and NATS_URL. */
export interface KubelessBrokers {
  /** Such as `kafka:9092`. */
  readonly kafka: string;
  /** Such as `nats://nats:4222`. */
  readonly nats: string;
}

/** What brings objects of Kubeless to life. */
export interface Kubeless {
  /** Works until `signal` aborts. To be called once. */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * @example
 * const kubeless = createKubeless({ client, brokers, clock, random, logger });
 * await kubeless.run(signal);
 */
export function createKubeless(options: KubelessOptions): Kubeless {
  const manager = createManager(options);
  const { brokers, clock } = options;
  addForeignKind(manager, kubelessFunctions, clock);
  addForeignKind(manager, httpTriggers, clock);
  addForeignKind(manager, cronJobTriggers, clock);
  addForeignKind(manager, kafkaTriggers(brokers.kafka), clock);
  addForeignKind(manager, natsTriggers(brokers.nats), clock);
  addForeignKind(manager, kinesisTriggers, clock);
  return { run: (signal) => manager.run(signal) };
}
