/**
 * The part of the cluster's API that the controller serves while it leads: the API server asks who
 * somebody is and whether they may, and passes the request on.
 */
import type { Clock, Logger } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import { listenInTime } from '../listen-in-time.ts';
import { clusterNames } from '../names.ts';
import type { ControllerConfig } from '../settings.ts';
import { AggregatedFront } from './aggregated-front.ts';
import type { AggregatedGroup } from './aggregated-group.ts';
import { ApiServiceTrust } from './api-service-trust.ts';
import type { FrontProxyTerms } from './front-proxy.ts';
import { FrontProxyWatch } from './front-proxy-watch.ts';
import { LeaderMark } from './leader-mark.ts';

/** What it is known by, in PEM. */
export interface AggregatedIdentity {
  readonly caPem: string;
  readonly certPem: string;
  readonly keyPem: string;
}

export interface AggregatedApiOptions {
  readonly client: Client;
  readonly certificate: AggregatedIdentity;
  readonly config: Pick<
    ControllerConfig,
    'aggregatedApi' | 'apiPort' | 'host' | 'podName' | 'systemNamespace'
  >;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class AggregatedApi implements AsyncDisposable {
  readonly #options: AggregatedApiOptions;
  readonly #parts = new AsyncDisposableStack();
  #identity: AggregatedIdentity;
  #onIdentity: (identity: AggregatedIdentity) => void = () => {};

  constructor(options: AggregatedApiOptions) {
    this.#options = options;
    this.#identity = options.certificate;
  }

  /** New connections get this certificate. */
  renew(identity: AggregatedIdentity): void {
    this.#identity = identity;
    this.#onIdentity(identity);
  }

  /**
   * Listens, is found, and knows whom to believe, until `signal` aborts; does nothing where the
   * configuration does not want it.
   *
   * @throws FnletError `ListenFailed`
   */
  async serve(groups: readonly AggregatedGroup[], signal: AbortSignal): Promise<void> {
    const { client, config, clock, logger } = this.#options;
    const { aggregatedApi, apiPort, host, podName, systemNamespace: namespace } = config;
    if (!aggregatedApi) return;
    const identity = this.#identity;
    const front = this.#parts.use(
      new AggregatedFront({
        ...{ groups, certificate: identity, logger },
        onStranger: () => watch.lookSoon(),
      }),
    );
    const onTerms = (terms: FrontProxyTerms): void => front.trust(terms);
    const watch = new FrontProxyWatch({ client, onTerms, clock, logger });
    const names = groups.flatMap(({ extension, versions }) =>
      versions.map((version) => `${version}.${extension.group}`),
    );
    const { caPem } = identity;
    const trust = new ApiServiceTrust({ client, names, namespace, caPem, clock, logger });
    this.#onIdentity = (renewed) => {
      front.renew(renewed);
      trust.renew(renewed.caPem);
    };
    await listenInTime((port) => front.listen({ host, port }), apiPort, { clock, leads: signal });
    const mark =
      podName === undefined
        ? undefined
        : new LeaderMark({ client, namespace, podName, clock, logger });
    await Promise.all([watch.run(signal), trust.run(signal), mark?.run(signal)]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.disposeAsync();
  }
}

/** Name of the Service that API servers reach it by, as its certificate has it. */
export function aggregatedHost(namespace: string): string {
  return `${clusterNames.apiService}.${namespace}.svc`;
}
