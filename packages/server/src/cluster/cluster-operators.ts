/**
 * Operators in a cluster: the hub of an embedded Fnlet in the replica of the controller that leads.
 * What it knows of settled objects is in ConfigMaps, for whoever leads next.
 *
 * I1. Nothing is loaded before the first Operator is there.
 */
import { operatorType } from '@fnlet/api';
import type { Clock, Logger, Random } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import type { Invoker } from '@fnlet/invocation';
import { LateOperators } from '../late-operators.ts';
import type { Loops } from './cluster-process.ts';
import { awaitFirstObject } from './first-object.ts';
import { mayWatch } from './may-watch.ts';
import { clusterNames, watchedLabel } from './names.ts';

export interface ClusterOperatorsOptions {
  readonly client: Client;
  /** Calls Functions. */
  readonly invoke: Invoker;
  readonly loops: Loops;
  /** Of the installation. */
  readonly systemNamespace: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Begins to wait for the first Operator; what is returned is how Triggers and people reach them. */
export function awaitClusterOperators(options: ClusterOperatorsOptions): LateOperators {
  const { client, invoke, loops, systemNamespace, clock, random, logger } = options;
  const records = { namespace: systemNamespace, name: clusterNames.settledConfigMap };
  const operators = new LateOperators();
  const run = async (signal: AbortSignal): Promise<void> => {
    const { createHub } = await import('@fnlet/operators');
    const { openMemoryStore } = await import('@fnlet/store');
    await using store = openMemoryStore({ historyMin: 1 });
    const hub = createHub({
      ...{ client, invoke, store, records, clock, random, logger },
      watching: {
        may: (type, asked) => mayWatch(client, type, asked),
        remedy: `give a ClusterRole that allows it the label ${watchedLabel}: "true"`,
      },
    });
    operators.begin(hub, invoke);
    await hub.run(signal);
  };
  const found = (): void => loops.run('operators', run);
  const waiting = { client, type: operatorType, loops, found, clock, random, logger };
  void awaitFirstObject(waiting);
  return operators;
}
