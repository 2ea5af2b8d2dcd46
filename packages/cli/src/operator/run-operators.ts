import type { Clock, Logger, Random } from '@fnlet/base';
import { createClient, type Transport } from '@fnlet/client';
import {
  createEventRecorder,
  createLeaseElection,
  createManager,
  createOperatorController,
} from '@fnlet/reconcile';
import type { Operator } from '@fnlet/sdk/operator';

export interface RunOperatorsOptions {
  readonly operators: readonly Operator[];
  readonly transport: Transport;
  /** The Lease that replicas share: only the one that holds it acts. Default: there is one replica. */
  readonly lease?: { readonly namespace: string; readonly name: string } | undefined;
  /** Names this process among the replicas. */
  readonly identity: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Runs operators in this process until `signal` aborts and their last runs have ended. */
export async function runOperators(
  options: RunOperatorsOptions,
  signal: AbortSignal,
): Promise<void> {
  const { operators, transport, lease, identity, clock, random, logger } = options;
  const shared = { clock, random, logger };
  const component = operators[0]?.name ?? 'operator';
  const client = createClient(transport, { fieldManager: component, clock });
  const election =
    lease === undefined ? undefined : createLeaseElection({ client, lease, identity, ...shared });
  const manager = createManager({ client, election, ...shared });
  const events = createEventRecorder({ client, component, ...shared });
  manager.addService(events);
  for (const operator of operators) {
    manager.addController(createOperatorController({ operator, manager, events, ...shared }));
  }
  await manager.run(signal);
}
