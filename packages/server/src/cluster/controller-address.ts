import { type Clock, errorMessage, jsonEqual, type Logger, sleep } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { addressLookMs } from './limits.ts';
import { clusterNames } from './names.ts';

const endpointSliceType: ResourceType = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
};

export interface ControllerAddressOptions {
  readonly client: Client;
  /** Of the installation. */
  readonly namespace: string;
  /** Of this Pod; `undefined`: nobody is told. */
  readonly podIp: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface EndpointSlice extends KubeObject {
  readonly endpoints?: readonly { readonly addresses?: readonly string[] }[];
}

/**
 * Leads the Service of the controller, which selects no Pods, to the replica that leads: others
 * would only turn Runners and Gateways away.
 */
export class ControllerAddress {
  readonly #options: ControllerAddressOptions;

  constructor(options: ControllerAddressOptions) {
    this.#options = options;
  }

  /** Puts right what somebody does to it, or a replica that did not know yet that it leads no more. */
  async keep(ports: Readonly<Record<string, number>>, signal: AbortSignal): Promise<void> {
    const { client, namespace, podIp, clock, logger } = this.#options;
    if (podIp === undefined) return;
    const key = { namespace, name: clusterNames.controllerService };
    while (await sleep(clock, addressLookMs, signal)) {
      try {
        const found = await client.of<EndpointSlice>(endpointSliceType).tryGet(key, { signal });
        const addresses = found?.endpoints?.flatMap((endpoint) => endpoint.addresses ?? []);
        if (!jsonEqual(addresses, [podIp])) await this.publish(ports, signal);
      } catch (error) {
        if (signal.aborted) return;
        logger.warn('Cannot look after the address of the controller', {
          error: errorMessage(error),
        });
      }
    }
  }

  async publish(ports: Readonly<Record<string, number>>, signal: AbortSignal): Promise<void> {
    const { client, namespace, podIp } = this.#options;
    if (podIp === undefined) return;
    const slice = {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: {
        namespace,
        name: clusterNames.controllerService,
        labels: {
          'kubernetes.io/service-name': clusterNames.controllerService,
          'endpointslice.kubernetes.io/managed-by': 'fnlet.dev',
        },
      },
      addressType: podIp.includes(':') ? 'IPv6' : 'IPv4',
      endpoints: [{ addresses: [podIp], conditions: { ready: true } }],
      ports: Object.entries(ports).map(([name, port]) => ({ name, port, protocol: 'TCP' })),
    };
    await client.of(endpointSliceType).apply(slice, { force: true, signal });
  }
}
