/**
 * What the modules around Kyma's Functions ask for, done by what Fnlet has: Subscriptions by
 * Brokers and Triggers, APIRules by routes, ScaledObjects of KEDA by the scaling of Functions.
 */
import type { Clock, Logger, Random } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import { createManager } from '@fnlet/reconcile';
import { addForeignKind } from '../foreign-objects.ts';
import { apiRules } from './api-rules.ts';
import { addScaledObjects } from './scaled-objects.ts';
import { subscriptions } from './subscriptions.ts';

export interface KymaModulesOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** What brings objects of one module to life. */
export interface KymaModule {
  /** Works until `signal` aborts. To be called once. */
  run(signal: AbortSignal): Promise<void>;
}

/** Each of them alone: the kinds of the others are not served while nobody needs them. */
export const kymaModules: Readonly<
  Record<'eventing' | 'gateway' | 'scaling', (options: KymaModulesOptions) => KymaModule>
> = {
  eventing: (options) => {
    const manager = createManager(options);
    addForeignKind(manager, subscriptions, options.clock);
    return { run: (signal) => manager.run(signal) };
  },
  gateway: (options) => {
    const manager = createManager(options);
    addForeignKind(manager, apiRules, options.clock);
    return { run: (signal) => manager.run(signal) };
  },
  scaling: (options) => {
    const manager = createManager(options);
    addScaledObjects(manager, options.clock);
    return { run: (signal) => manager.run(signal) };
  },
};
