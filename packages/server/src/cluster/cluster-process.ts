/** What the controller and the Gateway of a cluster have in common as processes. */
import { hostname } from 'node:os';
import {
  type Clock,
  errorMessage,
  FnletError,
  formatMetrics,
  type Logger,
  type MetricFamily,
  type Random,
  randomName,
  sleep,
} from '@fnlet/base';
import {
  type Client,
  createClient,
  type HttpTransportOptions,
  type Transport,
} from '@fnlet/client';
import { createHealthPages, type HealthCheck } from '@fnlet/reconcile';
import { listenForHealth } from '../health-listener.ts';
import { awaitKindsMs, kindsComplaintMs } from './limits.ts';

/** What a part of Fnlet in a cluster is given by whoever starts it. */
export interface ClusterProcessOptions<Config> {
  readonly config: Config;
  /** The cluster's API. */
  readonly api: HttpTransportOptions;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Variables of this process. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A name that no other process has: one that is restarted in the same Pod has another. */
export function nameReplica(given: string | undefined, random: Random): string {
  return `${given ?? hostname().toLowerCase()}_${randomName(random, 5)}`;
}

/** Serves what a kubelet and Prometheus ask for. */
export function serveHealth(
  { config, clock, logger }: ClusterProcessOptions<{ readonly healthPort: number }>,
  pages: {
    readonly readyz: readonly HealthCheck[];
    readonly metrics: () => readonly MetricFamily[];
  },
): Promise<AsyncDisposable> {
  const metrics = (): string => formatMetrics(pages.metrics());
  const answer = createHealthPages({ readyz: pages.readyz, metrics, clock, logger });
  return listenForHealth({ pages: answer, port: config.healthPort, logger });
}

/** A check that holds from the moment on that it is told to. */
export function latch(name: string, missing: string): HealthCheck & { set(): void } {
  let isSet = false;
  return {
    name,
    set: () => {
      isSet = true;
    },
    check() {
      if (!isSet) throw new Error(missing);
    },
  };
}

/** A client of the cluster's API, which writes as this manager. */
export function clientOf(
  { transport, clock }: Pick<ClusterProcessOptions<unknown>, 'transport' | 'clock'>,
  fieldManager: string,
): Client {
  return createClient(transport, { fieldManager, clock });
}

const kindsPath = '/apis/fnlet.dev/v1alpha1';

/** Resolves once the API serves Fnlet's kinds, or `signal` aborts. */
export async function awaitKinds(
  { transport, clock, logger }: ClusterProcessOptions<unknown>,
  signal: AbortSignal,
): Promise<void> {
  let complainsAtMs = clock.monotonicMs() + kindsComplaintMs;
  while (!signal.aborted) {
    const answer = await transport
      .request({ method: 'GET', path: kindsPath, signal })
      .catch((error: unknown) => error);
    const found = describeKinds(answer);
    if (found === undefined) return;
    if (clock.monotonicMs() > complainsAtMs) {
      complainsAtMs = Number.POSITIVE_INFINITY;
      logger.warn('Waiting for the definitions of Fnlet: fnlet install brings them', { found });
    }
    await sleep(clock, awaitKindsMs, signal);
  }
}

function describeKinds(answer: unknown): string | undefined {
  if (answer instanceof Error) return errorMessage(answer);
  const status = typeof answer === 'object' && answer !== null && 'status' in answer;
  return status && answer.status === 200 ? undefined : `no ${kindsPath}`;
}

/** Loops that run beside each other; the first that fails ends all. */
export class Loops implements AsyncDisposable {
  readonly #abort = new AbortController();
  readonly #failed = Promise.withResolvers<never>();
  readonly #running: Promise<void>[] = [];

  constructor() {
    // Whoever waits for it is told; nobody has to.
    this.#failed.promise.catch(() => {});
  }

  /** Rejects when a loop has failed. */
  get failed(): Promise<never> {
    return this.#failed.promise;
  }

  run(name: string, loop: (signal: AbortSignal) => Promise<void>): void {
    const running = loop(this.#abort.signal).catch((error: unknown) => {
      const message = `The ${name} failed: ${errorMessage(error)}`;
      this.#failed.reject(new FnletError('LoopFailed', message, { cause: error }));
    });
    this.#running.push(running);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await Promise.all(this.#running);
  }
}

/** Resolves when `signal` aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
