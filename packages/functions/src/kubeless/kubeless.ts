import type { Clock, Logger, Random } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import { createManager } from '@fnlet/reconcile';
import { addForeignKind } from '../foreign-objects.ts';
import type { FunctionCaller } from '../function-caller.ts';
import { addCronJobTriggers } from './cron-job-triggers.ts';
import { httpTriggers } from './http-triggers.ts';
import { kubelessFunctions } from './kubeless-functions.ts';

export interface KubelessOptions {
  readonly client: Client;
  /** How triggers call their functions. */
  readonly call: FunctionCaller;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** What brings objects of Kubeless to life. */
export interface Kubeless {
  /** Works until `signal` aborts. To be called once. */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * @example
 * const kubeless = createKubeless({ client, clock, random, logger });
 * await kubeless.run(signal);
 */
export function createKubeless(options: KubelessOptions): Kubeless {
  const manager = createManager(options);
  addForeignKind(manager, kubelessFunctions, options.clock);
  addForeignKind(manager, httpTriggers, options.clock);
  addCronJobTriggers(manager, options);
  return { run: (signal) => manager.run(signal) };
}
