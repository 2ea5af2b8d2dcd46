/**
 * What names of Services lead to, as the Gateway says, remembered for a moment.
 *
 * I1. At most one question about a Service and port is asked at a time.
 * I2. What a question belongs to is nobody's call: it has no span, and carries no trace.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServiceAddress } from '@fnlet/invocation';
import { http } from './builtins.ts';
import { limits } from './limits.ts';

/** Where one may connect to. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** What a name of a Service leads to. */
export type ServiceRoute =
  /** To the Gateway, which finds the Function by the Host of the request. */
  | { readonly kind: 'function' }
  /** To one of these; none: nobody answers there now. */
  | { readonly kind: 'endpoints'; readonly endpoints: readonly Address[] }
  /** There is no such Service. */
  | { readonly kind: 'none' };

/** A Service, and the port of it that somebody connects to; without one, whether there is one. */
export interface ServicePort {
  readonly namespace: string;
  readonly name: string;
  readonly port?: number;
}

interface Remembered {
  readonly untilMs: number;
  readonly route: ServiceRoute;
}

export class ServiceLookup {
  readonly #gateway: ServiceAddress;
  readonly #outside = AsyncLocalStorage.snapshot();
  readonly #known = new Map<string, Remembered>();
  readonly #asked = new Map<string, Promise<ServiceRoute>>();

  constructor(gateway: ServiceAddress) {
    this.#gateway = gateway;
  }

  /** At once where it is known, otherwise later; never rejects. */
  find(service: ServicePort): ServiceRoute | Promise<ServiceRoute> {
    const path = pathOf(service);
    const known = this.#known.get(path);
    if (known !== undefined && known.untilMs > performance.now()) return known.route;
    const before = this.#asked.get(path);
    if (before !== undefined) return before;
    const asking = this.#outside(() => this.#ask(path)).finally(() => this.#asked.delete(path));
    this.#asked.set(path, asking);
    return asking;
  }

  /** To be called when a connection that it led to could not be made, or broke. */
  forget(service: ServicePort): void {
    this.#known.delete(pathOf(service));
  }

  async #ask(path: string): Promise<ServiceRoute> {
    try {
      const headers = { accept: 'application/json' };
      const route = readRoute(await getJson({ ...this.#gateway, path, headers }));
      this.#remember(path, route);
      return route;
    } catch {
      // Nobody to ask: such a name is the system's, until somebody answers.
      return { kind: 'none' };
    }
  }

  #remember(path: string, route: ServiceRoute): void {
    const isRefused = route.kind === 'endpoints' && route.endpoints.length === 0;
    const forMs = isRefused ? limits.serviceRefusedMs : limits.serviceNameMs;
    if (this.#known.size >= limits.serviceNamesMax) this.#known.clear();
    this.#known.set(path, { untilMs: performance.now() + forMs, route });
  }
}

function pathOf({ namespace, name, port }: ServicePort): string {
  return `/-/routes/${namespace}/${name}${port === undefined ? '' : `/${port}`}`;
}

interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
}

function getJson(options: import('node:http').RequestOptions): Promise<JsonAnswer> {
  return new Promise((resolve, reject) => {
    const timeout = limits.serviceAskMs;
    const asked = http.get({ ...options, agent: false, timeout }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('error', reject);
      answer.on('data', (part: string) => {
        text += part;
      });
      answer.on('end', () => {
        try {
          resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) });
        } catch (error) {
          reject(error);
        }
      });
    });
    asked.on('timeout', () => asked.destroy(new Error('the Gateway did not answer in time')));
    asked.on('error', reject);
  });
}

function readRoute({ status, body }: JsonAnswer): ServiceRoute {
  if (status === 503) return { kind: 'endpoints', endpoints: [] };
  if (status !== 200) return { kind: 'none' };
  const { endpoints }: { readonly endpoints?: unknown } = Object(body);
  if (!Array.isArray(endpoints)) return { kind: 'function' };
  return { kind: 'endpoints', endpoints: endpoints.filter(isAddress) };
}

function isAddress(value: unknown): value is Address {
  const { host, port }: Partial<Record<keyof Address, unknown>> = Object(value);
  return typeof host === 'string' && typeof port === 'number';
}
