import type { Clock, Logger, Random } from '@fnlet/base';
import type { Store } from '@fnlet/store';
import type { Admission } from './admission/admission.ts';
import type { PostToWebhook } from './admission/webhook-post.ts';
import type { Access } from './auth/access.ts';
import type { IdentifyToken } from './auth/identify-token.ts';
import type { TokenIssuer } from './auth/token-issuer.ts';
import type { ServiceNumberSource } from './builtins/networking/service-number-source.ts';
import type { PodRuntime } from './pod/pod-runtime.ts';
import type { Quotas } from './quota/quotas.ts';
import type { Catalog } from './resource/catalog.ts';
import type { KindFeeds } from './watch/kind-feed.ts';

/** What every part of the server works with. */
export interface ApiContext {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly access: Access;
  /** Who is asked about writes. */
  readonly admission: Admission;
  readonly identify: IdentifyToken;
  readonly tokenIssuer: TokenIssuer;
  /** The changes of each kind, shared by its watches; every watch that is open. */
  readonly feeds: KindFeeds;
  /** What Services have been given. */
  readonly serviceNumbers: ServiceNumberSource;
  /** What may be used, by namespace. */
  readonly quotas: Quotas;
  readonly podRuntime: PodRuntime | undefined;
  /** The way out to webhooks. */
  readonly postToWebhook: PostToWebhook;
}
