/** Tells the API server by which authority it knows the controller, in the APIServices of its groups. */
import { type Clock, errorMessage, isJsonObject, type Logger, sleep } from '@fnlet/base';
import type { Client, ResourceClient } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { clusterNames } from '../names.ts';
import { apiServiceTrustLookMs, apiServiceTrustRetryMs } from './limits.ts';

const apiServiceType: ResourceType = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  kind: 'APIService',
  plural: 'apiservices',
  namespaced: false,
};

interface ApiServiceObject extends KubeObject {
  readonly spec?: unknown;
}

export interface ApiServiceTrustOptions {
  readonly client: Client;
  /** Names of APIServices; whoever installs makes them. */
  readonly names: readonly string[];
  /** Of the installation, to whose Service they lead. */
  readonly namespace: string;
  /** In PEM. */
  readonly caPem: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class ApiServiceTrust {
  readonly #options: ApiServiceTrustOptions;
  readonly #services: ResourceClient<ApiServiceObject>;
  #caPem: string;
  #changed = new AbortController();

  constructor(options: ApiServiceTrustOptions) {
    this.#options = options;
    this.#services = options.client.of(apiServiceType);
    this.#caPem = options.caPem;
  }

  /** Another authority signs from now on. */
  renew(caPem: string): void {
    this.#caPem = caPem;
    this.#changed.abort();
  }

  /** Keeps what they say right, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { names, clock, logger } = this.#options;
    let told = '';
    while (!signal.aborted) {
      this.#changed = new AbortController();
      const tried = await Promise.allSettled(names.map((name) => this.#tell(name, signal)));
      if (signal.aborted) return;
      const failed = tried.find((one) => one.status === 'rejected');
      const message = failed === undefined ? '' : errorMessage(failed.reason);
      // Who installed without APIServices is told once.
      if (message !== '' && message !== told) {
        logger.warn('The API server cannot pass requests on yet', { error: message });
      }
      told = message;
      const waitMs = message === '' ? apiServiceTrustLookMs : apiServiceTrustRetryMs;
      await sleep(clock, waitMs, AbortSignal.any([signal, this.#changed.signal]));
    }
  }

  async #tell(name: string, signal: AbortSignal): Promise<void> {
    const caBundle = Buffer.from(this.#caPem).toString('base64');
    const { spec } = await this.#services.get({ namespace: '', name }, { signal });
    const found = isJsonObject(spec) ? spec : {};
    if (found.caBundle === caBundle) return;
    const { namespace } = this.#options;
    const service = isJsonObject(found.service) ? found.service : {};
    // A cluster has one server for each version: whoever it is keeps being trusted.
    if (service.namespace !== namespace || service.name !== clusterNames.apiService) {
      const whose = `${service.namespace}/${service.name}`;
      throw new Error(`APIService "${name}" leads to ${whose}, expected this controller`);
    }
    // A merge, for what is not there must not be made of this alone.
    const patch = { type: 'merge', patch: { spec: { caBundle } } } as const;
    await this.#services.patch({ namespace: '', name }, patch, { signal });
  }
}
