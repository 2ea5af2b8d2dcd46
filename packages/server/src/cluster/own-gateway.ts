import { duplexPair } from 'node:stream';
import type { Clock, Logger, Random } from '@fnlet/base';
import { createGateway, type Gateway } from '@fnlet/gateway';
import type { FleetFront } from './fleet-front.ts';
import { FleetLink } from './fleet-link.ts';

export interface OwnGatewayOptions {
  readonly front: Pick<FleetFront, 'admit'>;
  /** Name of this replica. */
  readonly replica: string;
  /** The Node that it runs on; `undefined`: nobody knows. */
  readonly node: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** The controller's own way to Functions. */
export interface OwnGateway {
  readonly invoke: Gateway['invoke'];
  /** Resolves when it knows what there is. */
  readonly told: Promise<void>;
  /** Works until `signal` aborts; calls in flight are then cut off. */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * A Gateway in the controller that nobody connects to: one more of the fleet, through which events,
 * calls that are answered later and operators reach Functions as everybody does. It wakes them, and
 * hard limits hold for it, too.
 */
export function openOwnGateway(options: OwnGatewayOptions): OwnGateway {
  const { front, replica, node, clock, random, logger } = options;
  const gateway: Gateway = createGateway({
    ...{ clock, random, logger },
    onDemand: (revision) => link.onDemand(revision),
    onUnresponsive: (revision, endpoint) => link.onUnresponsive(revision, endpoint),
  });
  const link: FleetLink = new FleetLink({
    dial() {
      const [here, there] = duplexPair();
      front.admit(there, node);
      return Promise.resolve(here);
    },
    ...{ replica, gateway, clock, logger },
  });
  return {
    invoke: gateway.invoke,
    told: link.told,
    async run(signal) {
      await link.run(signal);
      await gateway.close({ graceMs: 0 });
    },
  };
}
