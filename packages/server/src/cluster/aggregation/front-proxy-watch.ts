/** Keeps a front up to date with whom the API server passes requests on as. */
import { type Clock, errorMessage, jsonEqual, type Logger, sleep } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import { formatObjectKey, type KubeObject, type ResourceType } from '@fnlet/machinery';
import { type FrontProxyTerms, frontProxyConfigMap, parseFrontProxyTerms } from './front-proxy.ts';
import { frontProxyLookMs, frontProxyRetryMs } from './limits.ts';

const configMapType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

export interface FrontProxyWatchOptions {
  readonly client: Client;
  /** The terms, whenever they are others than before. */
  readonly onTerms: (terms: FrontProxyTerms) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class FrontProxyWatch {
  readonly #options: FrontProxyWatchOptions;
  #known: FrontProxyTerms | undefined;
  #soon = new AbortController();

  constructor(options: FrontProxyWatchOptions) {
    this.#options = options;
  }

  /** A certificate came that is not known: what holds now is looked up soon. */
  lookSoon(): void {
    this.#soon.abort();
  }

  /** Looks, again and again, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    let told = '';
    while (!signal.aborted) {
      let isGood = true;
      try {
        await this.#look(signal);
        told = '';
      } catch (error) {
        if (signal.aborted) return;
        isGood = false;
        const message = errorMessage(error);
        if (message !== told)
          logger.warn('Cannot serve the API of the cluster', { error: message });
        told = message;
      }
      await sleep(clock, frontProxyRetryMs, signal);
      if (!isGood) continue;
      const either = AbortSignal.any([signal, this.#soon.signal]);
      await sleep(clock, frontProxyLookMs - frontProxyRetryMs, either);
      this.#soon = new AbortController();
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { client, onTerms } = this.#options;
    const configMaps = client.of<KubeObject & { readonly data?: unknown }>(configMapType);
    const found = await configMaps.tryGet(frontProxyConfigMap, { signal });
    if (found === undefined) {
      throw new Error(`ConfigMap "${formatObjectKey(frontProxyConfigMap)}" is not there`);
    }
    const terms = parseFrontProxyTerms(found.data);
    if (jsonEqual(terms, this.#known)) return;
    onTerms(terms);
    this.#known = terms;
  }
}
