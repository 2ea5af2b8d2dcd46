import {
  type ApiRequest,
  type ApiResponse,
  type ApiServer,
  adminUser,
  createInProcessTransport,
  type User,
} from '@fnlet/apiserver';
import { type Clock, sleep } from '@fnlet/base';
import type { Transport } from '@fnlet/client';
import { lostAnswer, refusal } from './fault-answer.ts';
import { FaultSwitches } from './fault-switches.ts';
import { OpenWatches } from './open-watches.ts';
import { isWrite, type SeenRequest, seeRequest } from './seen-request.ts';
import { WriteJournal } from './write-journal.ts';

/**
 * An API server whose every request, from a socket or from this process, passes the fault switches
 * and, when it writes, the journal.
 */
export class FaultyServer implements ApiServer {
  readonly #server: ApiServer;
  readonly #clock: Clock;
  readonly #watches = new OpenWatches();
  readonly faults: FaultSwitches = new FaultSwitches(this.#watches);
  readonly writes: WriteJournal = new WriteJournal();
  #inFlight = 0;

  constructor(server: ApiServer, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
  }

  /** Requests that are worked on; neither open watches nor answers that a fault holds back. */
  get inFlight(): number {
    return this.#inFlight;
  }

  async handle(request: ApiRequest): Promise<ApiResponse> {
    this.#inFlight++;
    try {
      // As over a socket: whoever asks again and again does not keep others from their turn.
      await new Promise((resolve) => setImmediate(resolve));
      return await this.#handle(request, seeRequest(request));
    } finally {
      this.#inFlight--;
    }
  }

  async #handle(request: ApiRequest, seen: SeenRequest): Promise<ApiResponse> {
    const fault = this.faults.take(seen);
    if (fault === undefined) return this.#answer(request, seen);
    switch (fault.kind) {
      case 'slow':
        await this.#hold(fault.delayMs, request.signal);
        return this.#answer(request, seen);
      case 'loseAnswer':
        await this.#answer(request, seen);
        return lostAnswer(seen);
      default: {
        const answer = refusal(fault, seen);
        this.#record(request, seen, answer.status);
        return answer;
      }
    }
  }

  async #hold(delayMs: number, signal: AbortSignal): Promise<void> {
    this.#inFlight--;
    await sleep(this.#clock, delayMs, signal);
    this.#inFlight++;
  }

  async #answer(request: ApiRequest, seen: SeenRequest): Promise<ApiResponse> {
    const answer = await this.#server.handle(request);
    this.#record(request, seen, answer.status);
    const { body } = answer;
    if (body.kind !== 'events') return answer;
    const batches = this.#watches.follow(seen, body.batches);
    return { ...answer, body: { kind: 'events', batches } };
  }

  #record(request: ApiRequest, seen: SeenRequest, status: number): void {
    if (!isWrite(seen.verb)) return;
    const dryRun = request.query.get('dryRun') === 'All';
    this.writes.add({ ...seen, status, dryRun });
  }

  transport(user: User = adminUser): Transport {
    return createInProcessTransport((request) => this.handle(request), user);
  }

  start(): Promise<void> {
    return this.#server.start();
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
