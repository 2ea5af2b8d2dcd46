/**
 * The public keys of one issuer: fetched when they are first needed, looked after every now and
 * then, and looked for anew when a token names one that is not there, because issuers rotate them.
 *
 * I1. The issuer is asked at most once in `keysAskedEveryMs`, and once at a time, whatever comes in
 *     tokens, which anybody can write.
 * I2. Keys are used for `keysFreshMs` unseen, and for `keysStaleMs` more while the issuer does not
 *     answer: it may be down for a while, but a key that it withdrew is not accepted for ever.
 * I3. What is fetched has no owner that waits: it goes on when a request goes away.
 */
import { isJsonObject } from '@fnlet/base';
import { policyLimits } from '../policy-limits.ts';
import { parseKeySet, type VerificationKey } from './verification-key.ts';

/** Fetches a JSON document; rejects for anything but that. Bounds its time and size itself. */
export type FetchJson = (url: string) => Promise<unknown>;

export interface IssuerKeysOptions {
  readonly issuer: string;
  /** Where its JWK Set is. Default: where its OpenID configuration says. */
  readonly keysUrl: string | undefined;
  readonly fetchJson: FetchJson;
  readonly monotonicMs: () => number;
  /** Told about every attempt that failed. */
  readonly onFailure: (issuer: string, error: unknown) => void;
}

/** What is known of the keys, and since when (monotonic). */
export interface KeysState {
  readonly fetchedMs: number | undefined;
  readonly askedMs: number | undefined;
  /** Whether the issuer is being asked. */
  readonly asking: boolean;
}

/** `use`: the keys at hand. `refresh`: these, and ask for others meanwhile. `wait`: ask first. */
export type KeysDecision = 'use' | 'refresh' | 'wait' | 'unavailable';

/** Decides with which keys a token is checked; `found`: its key is among those at hand. */
export function decideKeys(state: KeysState, found: boolean, nowMs: number): KeysDecision {
  const { fetchedMs, askedMs, asking } = state;
  const { keysFreshMs, keysStaleMs, keysAskedEveryMs } = policyLimits;
  const mayAsk = asking || askedMs === undefined || nowMs - askedMs >= keysAskedEveryMs;
  const ageMs = fetchedMs === undefined ? Number.POSITIVE_INFINITY : nowMs - fetchedMs;
  if (ageMs > keysFreshMs + keysStaleMs) return mayAsk ? 'wait' : 'unavailable';
  if (!found && mayAsk) return 'wait';
  return ageMs > keysFreshMs && mayAsk ? 'refresh' : 'use';
}

export class IssuerKeys {
  readonly #options: IssuerKeysOptions;
  #keys: readonly VerificationKey[] = [];
  #fetchedMs: number | undefined;
  #askedMs: number | undefined;
  #asking: Promise<void> | undefined;

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
  }

  /**
   * The keys that `choose` finds, at once where that is possible. `undefined` when no keys are known
   * and the issuer cannot be asked.
   */
  find(choose: KeyChoice): Found | Promise<Found> {
    const chosen = choose(this.#keys);
    const decision = this.#decide(chosen.length > 0);
    if (decision === 'use') return chosen;
    if (decision === 'unavailable') return undefined;
    const asking = this.#ask();
    return decision === 'refresh' ? chosen : asking.then(() => this.#known(choose));
  }

  // It has just been asked: what is old now stays old for a while.
  #known(choose: KeyChoice): Found {
    return this.#decide(true) === 'unavailable' ? undefined : choose(this.#keys);
  }

  #decide(found: boolean): KeysDecision {
    const asking = this.#asking !== undefined;
    const state = { fetchedMs: this.#fetchedMs, askedMs: this.#askedMs, asking };
    return decideKeys(state, found, this.#options.monotonicMs());
  }

  /** Asks the issuer, unless that is being done. Never rejects. */
  #ask(): Promise<void> {
    this.#asking ??= this.#fetch();
    return this.#asking;
  }

  async #fetch(): Promise<void> {
    const { issuer, onFailure, monotonicMs } = this.#options;
    this.#askedMs = monotonicMs();
    try {
      this.#keys = await this.#fetchKeys();
      this.#fetchedMs = monotonicMs();
    } catch (error) {
      onFailure(issuer, error);
    } finally {
      this.#asking = undefined;
    }
  }

  async #fetchKeys(): Promise<readonly VerificationKey[]> {
    const { issuer, keysUrl, fetchJson } = this.#options;
    const url = keysUrl ?? readKeysUrl(await fetchJson(configurationUrl(issuer)), issuer);
    const keys = parseKeySet(await fetchJson(url));
    if (keys === undefined || keys.length === 0) {
      throw new TypeError(`${url} holds no keys that can verify tokens`);
    }
    return keys;
  }
}

/** Picks the keys that may have signed a token. */
export type KeyChoice = (keys: readonly VerificationKey[]) => readonly VerificationKey[];

type Found = readonly VerificationKey[] | undefined;

/** Where an issuer describes itself (OpenID Connect Discovery 1.0, §4). */
function configurationUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
}

function readKeysUrl(configuration: unknown, issuer: string): string {
  if (!isJsonObject(configuration)) throw new TypeError('its configuration is no JSON object');
  const { issuer: named, jwks_uri: url } = configuration;
  // §4.3: who answers for somebody else is an impostor.
  if (named !== issuer) throw new TypeError(`it calls itself ${JSON.stringify(named)}`);
  if (typeof url !== 'string') throw new TypeError('its configuration names no jwks_uri');
  const isHttp = url.startsWith('https://') || issuer.startsWith('http://');
  if (!isHttp) throw new TypeError('its jwks_uri is not https');
  return url;
}
