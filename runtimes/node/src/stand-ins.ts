import { limits } from './limits.ts';
import type { ServicePort } from './service-lookup.ts';

type Service = Omit<ServicePort, 'port'>;

/**
 * Addresses that stand for Services, for code that resolves a name first and connects then. They
 * are of class E (RFC 1112, 4): no machine has them, and no network leads there. A Service keeps
 * its own; with too many of them, the one that was asked for first loses it.
 */
export class StandIns {
  readonly #addresses = new Map<string, string>();
  readonly #services = new Map<string, Service>();
  #last = 0;

  /** The address of a Service. */
  of({ namespace, name }: Service): string {
    const key = `${namespace}/${name}`;
    const known = this.#addresses.get(key);
    if (known !== undefined) return known;
    if (this.#addresses.size >= limits.standInsMax) this.#removeFirst();
    this.#last = (this.#last + 1) % 2 ** 24;
    const parts = [16, 8, 0].map((shift) => (this.#last >>> shift) & 0xff);
    const address = `240.${parts.join('.')}`;
    this.#addresses.set(key, address);
    this.#services.set(address, { namespace, name });
    return address;
  }

  /** The Service that an address stands for, if it does. */
  serviceAt(address: string): Service | undefined {
    return address.startsWith('240.') ? this.#services.get(address) : undefined;
  }

  #removeFirst(): void {
    for (const [key, address] of this.#addresses) {
      this.#addresses.delete(key);
      this.#services.delete(address);
      return;
    }
  }
}
