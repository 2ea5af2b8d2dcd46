import { errorMessage, type Logger } from '@fnlet/base';

/** Something that works until `signal` aborts; `run` returns once it has stopped. */
export interface Service {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
  /** Finishes what it has begun and begins nothing more, until `signal` aborts. */
  drain?(signal: AbortSignal): Promise<void>;
}

interface Running {
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/** Services that start and stop together; one that comes later starts when it comes. */
export class ServiceGroup {
  readonly #logger: Logger;
  readonly #onFailure: (error: unknown) => void;
  /** `undefined` for those that do not run. */
  readonly #services = new Map<Service, Running | undefined>();
  #isRunning = false;

  constructor(options: { readonly logger: Logger; readonly onFailure: (error: unknown) => void }) {
    this.#logger = options.logger;
    this.#onFailure = options.onFailure;
  }

  add(service: Service): void {
    this.#services.set(service, this.#isRunning ? this.#run(service) : undefined);
  }

  /** Drains it until `drained` aborts, and stops it. */
  async remove(service: Service, drained: AbortSignal): Promise<void> {
    const running = this.#services.get(service);
    this.#services.delete(service);
    if (running !== undefined) await this.#end(service, running, drained);
  }

  start(): void {
    this.#isRunning = true;
    for (const service of this.#services.keys()) this.#services.set(service, this.#run(service));
  }

  /** Drains all until `drained` aborts, and stops them; they may be started again. */
  async stop(drained: AbortSignal): Promise<void> {
    this.#isRunning = false;
    const ends = [...this.#services].map(async ([service, running]) => {
      if (running !== undefined) await this.#end(service, running, drained);
      if (this.#services.has(service)) this.#services.set(service, undefined);
    });
    await Promise.all(ends);
  }

  #run(service: Service): Running {
    const abort = new AbortController();
    const ended = service.run(abort.signal).catch((error) => {
      this.#logger.error(`Cannot run ${service.name}: ${errorMessage(error)}`);
      this.#onFailure(error);
    });
    return { abort, ended };
  }

  async #end(service: Service, { abort, ended }: Running, drained: AbortSignal): Promise<void> {
    if (!drained.aborted) await service.drain?.(drained);
    abort.abort();
    await ended;
  }
}
