import { readFile } from 'node:fs/promises';
import { type Clock, errorMessage } from '@fnlet/base';
import type { CredentialSource, Credentials } from './credentials.ts';
import { KubeconfigError } from './kubeconfig-error.ts';
import { limits } from './limits.ts';

export interface TokenFileOptions {
  readonly file: string;
  /** Shown beside the token. */
  readonly certificate: Omit<Credentials, 'token'>;
  readonly clock: Clock;
}

/**
 * The token in a file that is rotated, as a kubelet does with those of ServiceAccounts. It is read
 * again once a minute, and after the server has refused it; while it cannot be read, the last one
 * serves on.
 */
export function openTokenFile(options: TokenFileOptions): CredentialSource {
  return new TokenFile(options);
}

class TokenFile implements CredentialSource {
  readonly #options: TokenFileOptions;
  #token: string | undefined;
  #readMs = Number.NEGATIVE_INFINITY;

  constructor(options: TokenFileOptions) {
    this.#options = options;
  }

  async read(): Promise<Credentials> {
    const { certificate, clock, file } = this.#options;
    if (clock.monotonicMs() - this.#readMs >= limits.tokenAgeMaxMs) {
      this.#readMs = clock.monotonicMs();
      this.#token = (await this.#tryRead(file)) ?? this.#token;
    }
    return { ...certificate, token: this.#token };
  }

  refuse(): void {
    this.#readMs = Number.NEGATIVE_INFINITY;
  }

  async #tryRead(file: string): Promise<string | undefined> {
    try {
      return (await readFile(file, 'utf8')).trim();
    } catch (error) {
      if (this.#token !== undefined) return undefined;
      this.refuse();
      throw new KubeconfigError(
        'Invalid',
        `Cannot read token file "${file}": ${errorMessage(error)}, expected a token`,
        { cause: error },
      );
    }
  }
}
