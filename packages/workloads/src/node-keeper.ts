import { type Clock, errorMessage, type Logger, sleep } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import { type ApiAddress, keepApiService } from './api-service.ts';
import { limits } from './limits.ts';
import {
  leaseType,
  type Machine,
  type Node,
  nodeLease,
  nodeName,
  nodeObject,
  nodeStatus,
  nodeType,
} from './node.ts';

export type { Machine } from './node.ts';

export interface NodeKeeper {
  readonly name: string;
  /** Keeps the Node, its heartbeat and the Service of the API until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}

export interface NodeKeeperOptions {
  readonly client: Client;
  readonly machine: Machine;
  /** Where the API listens, for the Service that every cluster has of it. */
  readonly api: ApiAddress;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Registers the machine as the one Node, renews its Lease, and tells where its API is. */
export function createNodeKeeper(options: NodeKeeperOptions): NodeKeeper {
  const { client, machine, api, clock, logger } = options;
  const nodes = client.of<Node>(nodeType);
  const leases = client.of<KubeObject>(leaseType);
  const key = { namespace: '', name: nodeName(machine) };
  const register = async (readySinceMs: number, signal: AbortSignal): Promise<KubeObject> => {
    const node = await nodes.apply(nodeObject(machine), { force: true, signal });
    const status = nodeStatus(machine, { nowMs: clock.now(), readySinceMs });
    const patch = { status };
    await nodes.patch(key, { type: 'merge', patch }, { subresource: 'status', signal });
    return node;
  };
  return {
    name: 'node',
    async run(signal) {
      const readySinceMs = clock.now();
      let node: KubeObject | undefined;
      while (!signal.aborted) {
        try {
          node = (await nodes.tryGet(key, { signal })) && node;
          node ??= await register(readySinceMs, signal);
          const lease = nodeLease(machine, node, { nowMs: clock.now(), readySinceMs });
          await leases.apply(lease, { force: true, signal });
          await keepApiService(client, api, signal);
        } catch (error) {
          if (signal.aborted) return;
          logger.warn('Cannot keep the Node', { error: errorMessage(error) });
        }
        await sleep(clock, limits.heartbeatMs, signal);
      }
    },
  };
}
