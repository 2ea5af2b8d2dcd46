/**
 * The secrets that senders of a Trigger sign with: one on each line of what a Secret holds, so that
 * the old and the new one are believed while it is replaced.
 *
 * I1. What was read is believed for `secretMs`; then it is read again, when a request comes.
 * I2. While there is none it is looked for by itself, and whoever wants to know is told why nobody
 *     gets in.
 */
import type { EventSignature } from '@fnlet/api';
import { errorMessage, FnletError, sleep } from '@fnlet/base';
import type { SourceContext } from '../source.ts';
import { httpEventLimits } from './limits.ts';

interface Known {
  /** None while it is missing. */
  readonly values: readonly string[];
  readonly readMs: number;
}

/** Why nobody can be let in; `undefined` when they can. */
export type SecretTrouble = string | undefined;

export class SigningSecret {
  readonly #secret: EventSignature['secret'];
  readonly #context: Pick<SourceContext, 'secret' | 'clock'>;
  readonly #onTrouble: (trouble: SecretTrouble) => void;
  #known: Known | undefined;
  /** Resolves when it is found missing. */
  #missed = Promise.withResolvers<void>();

  /** @param onTrouble told whenever that may have changed */
  constructor(
    secret: EventSignature['secret'],
    context: Pick<SourceContext, 'secret' | 'clock'>,
    onTrouble: (trouble: SecretTrouble) => void,
  ) {
    this.#secret = secret;
    this.#context = context;
    this.#onTrouble = onTrouble;
  }

  /** Looks for it while it is missing, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.#missed.resolve();
    signal.addEventListener('abort', stop, { once: true });
    while (!signal.aborted) {
      const trouble = await this.#look();
      this.#onTrouble(trouble);
      if (trouble !== undefined) {
        await sleep(this.#context.clock, httpEventLimits.secretMs, signal);
        continue;
      }
      await this.#missed.promise;
      this.#missed = Promise.withResolvers();
    }
    signal.removeEventListener('abort', stop);
  }

  /** @throws FnletError `NotReady` while there is none */
  async values(): Promise<readonly string[]> {
    if (this.#isOld) await this.#read();
    const values = this.#known?.values ?? [];
    if (values.length > 0) return values;
    this.#missed.resolve();
    throw new FnletError('NotReady', `Cannot take event: ${this.#missing}`);
  }

  get #isOld(): boolean {
    if (this.#known === undefined) return true;
    const { values, readMs } = this.#known;
    const { secretMs, missingSecretMs } = httpEventLimits;
    const oldMs = values.length === 0 ? missingSecretMs : secretMs;
    return this.#context.clock.monotonicMs() - readMs >= oldMs;
  }

  get #missing(): string {
    const { name, key } = this.#secret;
    return `Secret "${name}" has no "${key}" to judge it by`;
  }

  async #look(): Promise<SecretTrouble> {
    try {
      await this.#read();
    } catch (error) {
      return `Cannot read Secret "${this.#secret.name}": ${errorMessage(error)}`;
    }
    if (this.#known !== undefined && this.#known.values.length > 0) return undefined;
    return `${this.#missing}: until it is there, senders are answered 503`;
  }

  async #read(): Promise<void> {
    const { secret, clock } = this.#context;
    const readMs = clock.monotonicMs();
    const value = await secret(this.#secret.name, this.#secret.key);
    // A file that ends with its line, as editors write it, holds no second secret.
    const lines = (value ?? '').split(/\r?\n/).filter((line) => line !== '');
    this.#known = { values: lines.slice(0, httpEventLimits.secretsMax), readMs };
  }
}
