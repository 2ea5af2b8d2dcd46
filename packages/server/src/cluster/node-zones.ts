/**
 * The zones that the Nodes of the cluster are in, by the label that clouds give them.
 *
 * I1. Where there is but one zone, or none is known, nothing is in a zone.
 * I2. Of a Node its name and its zone are kept, and nothing else.
 */
import { type Clock, errorMessage, type Logger, type Random, sleep, type Timer } from '@fnlet/base';
import { type Client, createCache } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { nodeRightsLookMs, zoneSettleMs } from './limits.ts';
import { mayWatch } from './may-watch.ts';

/** The label of a Node with its zone (KEP-1659). */
export const zoneLabel = 'topology.kubernetes.io/zone';

const nodeType: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false },
};

export interface NodeZonesOptions {
  readonly client: Client;
  /** Nodes are in other zones than before. Told of many changes at once. */
  readonly onChange: () => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export class NodeZones {
  readonly #options: NodeZonesOptions;
  readonly #zones = new Map<string, string>();
  /** How many Nodes each zone has. */
  readonly #sizes = new Map<string, number>();
  #settling: Timer | undefined;

  constructor(options: NodeZonesOptions) {
    this.#options = options;
  }

  /** The zone of a Node; `undefined`: it is not known, or there is no other. */
  of(node: string | undefined): string | undefined {
    // I1
    if (node === undefined || this.#sizes.size < 2) return undefined;
    return this.#zones.get(node);
  }

  /** Follows Nodes until `signal` aborts; without the right to, it looks for that from time to time. */
  async run(signal: AbortSignal): Promise<void> {
    const { client, clock, random, logger } = this.#options;
    if (!(await this.#awaitRights(signal))) return;
    const nodes = createCache<KubeObject>({
      ...{ client, type: nodeType, metadataOnly: true, project: projectNode },
      ...{ clock, random, logger },
    });
    nodes.subscribe(({ kind, object: { metadata } }) => {
      this.#set(metadata.name, kind === 'deleted' ? undefined : metadata.labels?.[zoneLabel]);
    });
    await nodes.run(signal);
    this.#settling?.cancel();
  }

  async #awaitRights(signal: AbortSignal): Promise<boolean> {
    const { client, clock, logger } = this.#options;
    let isTold = false;
    while (!signal.aborted) {
      try {
        if (await mayWatch(client, nodeType, signal)) return true;
        if (!isTold) logger.info('Nodes may not be watched: calls go to all zones alike');
        isTold = true;
      } catch (error) {
        if (signal.aborted) return false;
        logger.debug('Cannot ask for Nodes', { error: errorMessage(error) });
      }
      await sleep(clock, nodeRightsLookMs, signal);
    }
    return false;
  }

  #set(node: string, zone: string | undefined): void {
    const before = this.#zones.get(node);
    // A label without a value says nothing.
    const after = zone === '' ? undefined : zone;
    if (before === after) return;
    if (before !== undefined) this.#count(before, -1);
    if (after === undefined) this.#zones.delete(node);
    else {
      this.#zones.set(node, after);
      this.#count(after, 1);
    }
    this.#settling ??= this.#options.clock.after(zoneSettleMs, () => {
      this.#settling = undefined;
      this.#options.onChange();
    });
  }

  #count(zone: string, change: number): void {
    const size = (this.#sizes.get(zone) ?? 0) + change;
    if (size === 0) this.#sizes.delete(zone);
    else this.#sizes.set(zone, size);
  }
}

// I2
function projectNode({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, resourceVersion, labels } = metadata;
  const zone = labels?.[zoneLabel];
  return {
    ...{ apiVersion, kind },
    metadata: {
      name,
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(zone === undefined ? {} : { labels: { [zoneLabel]: zone } }),
    },
  };
}
