/**
 * What an API serves, remembered.
 *
 * I1. A kind that is known is answered without a request, for `discoveryAgeMaxMs`; one that is not
 *     known may have been defined a moment ago, so then the API is asked each time.
 * I2. Whoever asks while the API is being asked waits for the same answer.
 * I3. A failure is nobody's answer but of those who waited for it; the next one asks again.
 */
import { type Clock, systemClock } from '@fnlet/base';
import { formatApiVersion } from '@fnlet/machinery';
import type { DiscoveredResource } from './discovered-resource.ts';
import { type Discovery, discover } from './discovery.ts';
import { limits } from './limits.ts';
import type { CallOptions } from './resource-client.ts';
import type { Transport } from './transport.ts';
import { unlessAborted } from './unless-aborted.ts';

/** Finds kinds as objects name them, and asks the API only when it must. */
export interface DiscoveryCache {
  /**
   * Finds a kind; `undefined` when it is not served.
   *
   * @throws StatusError, TransportError, the reason of the signal, when the API had to be asked
   */
  ofKind(
    apiVersion: string,
    kind: string,
    options?: CallOptions,
  ): Promise<DiscoveredResource | undefined>;
  /** The same, by the plural that URLs have. */
  ofPlural(
    apiVersion: string,
    plural: string,
    options?: CallOptions,
  ): Promise<DiscoveredResource | undefined>;
}

export interface DiscoveryCacheOptions {
  /** Default: the machine's clock. */
  readonly clock?: Clock | undefined;
}

/** A cache that knows nothing yet. */
export function createDiscoveryCache(
  transport: Transport,
  options: DiscoveryCacheOptions = {},
): DiscoveryCache {
  return new RememberedDiscovery(transport, options.clock ?? systemClock);
}

interface Known {
  readonly discovery: Discovery;
  readonly atMs: number;
}

class RememberedDiscovery implements DiscoveryCache {
  readonly #transport: Transport;
  readonly #clock: Clock;
  #known: Known | undefined;
  #asking: Promise<Discovery> | undefined;

  constructor(transport: Transport, clock: Clock) {
    this.#transport = transport;
    this.#clock = clock;
  }

  ofKind(
    apiVersion: string,
    kind: string,
    options: CallOptions = {},
  ): Promise<DiscoveredResource | undefined> {
    return this.#find((discovery) => discovery.ofKind(apiVersion, kind), options);
  }

  ofPlural(
    apiVersion: string,
    plural: string,
    options: CallOptions = {},
  ): Promise<DiscoveredResource | undefined> {
    const isIt = ({ type }: DiscoveredResource): boolean =>
      type.plural === plural && formatApiVersion(type) === apiVersion;
    return this.#find(({ resources }) => resources.find(isIt), options);
  }

  async #find(
    look: (discovery: Discovery) => DiscoveredResource | undefined,
    { signal }: CallOptions,
  ): Promise<DiscoveredResource | undefined> {
    const known = this.#recall();
    const found = known === undefined ? undefined : look(known);
    return found ?? look(await unlessAborted(this.#ask(), signal));
  }

  #recall(): Discovery | undefined {
    const { discovery, atMs = 0 } = this.#known ?? {};
    return this.#clock.monotonicMs() - atMs < limits.discoveryAgeMaxMs ? discovery : undefined;
  }

  #ask(): Promise<Discovery> {
    this.#asking ??= this.#read().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #read(): Promise<Discovery> {
    const clock = this.#clock;
    const discovery = await discover(this.#transport, { clock });
    this.#known = { discovery, atMs: clock.monotonicMs() };
    return discovery;
  }
}
