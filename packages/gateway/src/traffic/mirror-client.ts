import type { CallClient } from '../client-call.ts';
import type { Expirable } from '../deadline-sweep.ts';
import type { Exchange } from '../exchange.ts';
import type { Scheme } from '../fronts/wire.ts';

/** The client of the call that is copied. */
export type CopiedClient = Pick<CallClient, 'remoteAddress' | 'scheme'>;

/** Who waits for the answer of a copied call: nobody. It is read, and thrown away. */
export class MirrorClient implements CallClient, Expirable {
  deadlineMs: number = Number.POSITIVE_INFINITY;
  readonly remoteAddress: string;
  readonly scheme: Scheme;
  readonly #cutMs: number;
  readonly #onOver: (failed: boolean) => void;
  #exchange: Exchange | undefined;
  #failed = false;
  #over = false;

  /**
   * @param cutMs when (monotonic) an answer is long enough, be it complete or not
   * @param onOver once, when the call is over
   */
  constructor(
    { remoteAddress, scheme }: CopiedClient,
    options: { readonly cutMs: number; readonly onOver: (failed: boolean) => void },
  ) {
    this.remoteAddress = remoteAddress;
    this.scheme = scheme;
    this.#cutMs = options.cutMs;
    this.#onOver = options.onOver;
  }

  begin(exchange: Exchange, body: Buffer): void {
    this.#exchange = exchange;
    exchange.begin(body, 0, body.length);
  }

  onDeadline(): void {
    this.#exchange?.onClientGone();
    this.#end(true);
  }

  onAnswer(status: number): void {
    if (status >= 500) this.#failed = true;
  }

  onCut(): void {
    this.#failed = true;
  }

  write(): boolean {
    return true;
  }

  pauseReading(): void {}

  resumeReading(): void {}

  setDeadline(deadlineMs: number): void {
    this.deadlineMs = Math.min(deadlineMs, this.#cutMs);
  }

  onSwitched(): void {}

  finish(): void {
    this.#end(this.#failed);
  }

  answer(): void {
    this.#end(this.#failed);
  }

  end(): void {
    this.#end(this.#failed);
  }

  destroy(): void {
    this.#end(true);
  }

  #end(failed: boolean): void {
    if (this.#over) return;
    this.#over = true;
    this.#onOver(failed);
  }
}
