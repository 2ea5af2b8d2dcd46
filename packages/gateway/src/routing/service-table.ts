import type { Responder } from '../inner/responder.ts';

/** `<name>.<namespace>`, with or without `.svc` and `.svc.cluster.local`, and a port. */
const serviceHost = /^([^.:]+\.[^.:]+)(?:\.svc(?:\.cluster\.local)?)?\.?(?::\d*)?$/i;

/** Names of Services that are answered within this process, to those who are inside. */
export class ServiceTable {
  /** Keyed `<name>.<namespace>`. */
  readonly #responders = new Map<string, Responder>();

  get size(): number {
    return this.#responders.size;
  }

  set({ namespace, name }: ServiceName, responder: Responder): void {
    this.#responders.set(`${name}.${namespace}`, responder);
  }

  remove({ namespace, name }: ServiceName): void {
    this.#responders.delete(`${name}.${namespace}`);
  }

  get({ namespace, name }: ServiceName): Responder | undefined {
    return this.#responders.get(`${name}.${namespace}`);
  }

  /** Who answers requests for this host. */
  match(host: string): Responder | undefined {
    const labels = serviceHost.exec(host)?.[1];
    return labels === undefined ? undefined : this.#responders.get(labels.toLowerCase());
  }
}

/** What makes a Service one of its own. */
export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

/** Whether a host is that of a Service. */
export function isServiceHost(host: string): boolean {
  return serviceHost.test(host);
}
