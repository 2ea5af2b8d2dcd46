/**
 * Owns the tokens by which functions act as their ServiceAccounts: one for each account that a
 * Function names, asked for anew when half of its life is over.
 *
 * I1. There is one timer while any Function names an account, and none otherwise.
 * I2. An account that was deleted and made again is another one, with another token.
 */
import { type Clock, isJsonObject, type Timer } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import { formatObjectKey, type KubeObject, type ObjectKey, resourcePath } from '@fnlet/machinery';
import { serviceAccountType } from './core-kinds.ts';
import { limits } from './limits.ts';

interface Token {
  readonly uid: string | undefined;
  readonly text: string;
  readonly staleAtMs: number;
}

export interface AccountTokensOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** The tokens of these accounts are to be asked for again, if anybody still uses them. */
  readonly onStale: (accounts: readonly ObjectKey[]) => void;
}

export class AccountTokens {
  readonly #options: AccountTokensOptions;
  readonly #tokens = new Map<string, Token & { readonly account: ObjectKey }>();
  #timer: Timer | undefined;

  constructor(options: AccountTokensOptions) {
    this.#options = options;
  }

  /** A token that is good for a while; `undefined` when there is no such account. */
  async get(account: ObjectKey, signal: AbortSignal): Promise<string | undefined> {
    const { client, clock } = this.#options;
    const found = await client.of<KubeObject>(serviceAccountType).tryGet(account, { signal });
    if (found === undefined) return undefined;
    const { uid } = found.metadata;
    const key = formatObjectKey(account);
    const known = this.#tokens.get(key);
    if (known !== undefined && known.uid === uid && clock.now() < known.staleAtMs) {
      return known.text;
    }
    const text = await this.#request(account, signal);
    if (text === undefined) return undefined;
    const staleAtMs = clock.now() + (limits.accountTokenSeconds * 1000) / 2;
    this.#tokens.set(key, { account, uid, text, staleAtMs });
    this.#wait();
    return text;
  }

  close(): void {
    this.#timer?.cancel();
    this.#tokens.clear();
  }

  #wait(): void {
    if (this.#timer !== undefined || this.#tokens.size === 0) return;
    const { clock } = this.#options;
    const firstMs = Math.min(...[...this.#tokens.values()].map(({ staleAtMs }) => staleAtMs));
    this.#timer = clock.after(firstMs - clock.now(), () => {
      this.#timer = undefined;
      this.#expire();
      this.#wait();
    });
  }

  #expire(): void {
    const { clock, onStale } = this.#options;
    const stale = [...this.#tokens].filter(([, { staleAtMs }]) => staleAtMs <= clock.now());
    for (const [key] of stale) this.#tokens.delete(key);
    if (stale.length > 0) onStale(stale.map(([, { account }]) => account));
  }

  async #request(account: ObjectKey, signal: AbortSignal): Promise<string | undefined> {
    const response = await this.#options.client.transport.request({
      method: 'POST',
      path: resourcePath(serviceAccountType, { ...account, subresource: 'token' }),
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: limits.accountTokenSeconds },
      },
      signal,
    });
    const answer = await response.json();
    const status = isJsonObject(answer) && isJsonObject(answer.status) ? answer.status : {};
    return typeof status.token === 'string' ? status.token : undefined;
  }
}
