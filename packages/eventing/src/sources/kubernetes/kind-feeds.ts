import type { Clock, Logger, Random } from '@fnlet/base';
import { type Client, createDiscoveryCache, type DiscoveryCache } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { SourceError } from '../source-error.ts';
import { KindFeed } from './kind-feed.ts';

export interface KindFeedsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** The one feed of each kind, whoever follows it; and what kinds there are. */
export class KindFeeds {
  readonly client: Client;
  readonly #options: KindFeedsOptions;
  readonly #discovery: DiscoveryCache;
  readonly #feeds = new Map<string, KindFeed>();

  constructor(options: KindFeedsOptions) {
    const { client, clock } = options;
    this.client = client;
    this.#options = options;
    this.#discovery = createDiscoveryCache(client.transport, { clock });
  }

  /** @throws SourceError `Unreachable` while there is no such kind */
  async typeOf(apiVersion: string, kind: string): Promise<ResourceType> {
    const found = await this.#discovery.ofKind(apiVersion, kind);
    if (found?.verbs.includes('watch')) return found.type;
    const message = `Cannot follow ${kind} of ${apiVersion}: the API serves no such kind to watch`;
    throw new SourceError('Unreachable', message);
  }

  /** @param metadataOnly whether nothing else of the objects is asked for */
  of(type: ResourceType, metadataOnly: boolean): KindFeed {
    const { group, version, plural } = type;
    const id = [group, version, plural, metadataOnly].join('/');
    const known = this.#feeds.get(id);
    if (known !== undefined) return known;
    const client = this.client.of<KubeObject>(type);
    const feed = new KindFeed({ ...this.#options, client, metadataOnly });
    this.#feeds.set(id, feed);
    return feed;
  }
}
