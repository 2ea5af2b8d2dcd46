/**
 * The policies of all routes, and what they share and keep: how much each client has used of each
 * limit, and the keys of issuers.
 *
 * I1. A policy is replaced, never changed; what its limits counted stays where the limit stays, so
 *     that nobody gets a full bucket because a Secret has changed.
 * I2. An issuer is asked once for all routes that trust it.
 */
import { type Clock, errorMessage, type Logger, type MetricFamily } from '@fnlet/base';
import { AddressRanges } from './address-ranges.ts';
import { type ApiKeySettings, ApiKeys } from './api-keys.ts';
import { type BasicSettings, BasicUsers } from './basic-users.ts';
import { BcryptChecks } from './bcrypt-checks.ts';
import { ComposedPolicy } from './composed-policy.ts';
import { Compression } from './compression/compression.ts';
import { CompressionSlots } from './compression/compression-slots.ts';
import type { CompressionSettings } from './compression/decide-compression.ts';
import type { CorsSettings } from './cors.ts';
import type { Authenticator } from './identity.ts';
import { BearerTokens, type JwtSettings } from './jwt/bearer-tokens.ts';
import { type FetchJson, IssuerKeys } from './jwt/issuer-keys.ts';
import { policyLimits } from './policy-limits.ts';
import { RateLimiter, type RateRule } from './rate-limiter.ts';
import type { RateKey, RateLimit } from './rate-limits.ts';
import type { AnswerCoding, RoutePolicy } from './route-policy.ts';
import { VerdictCounts } from './verdict-counts.ts';

/** What a route demands; what is not there is not demanded. */
export interface RoutePolicySettings {
  /** Addresses and CIDR blocks that may call. Default: all. */
  readonly allow?: readonly string[];
  /** Those that may not, whatever is allowed. */
  readonly deny?: readonly string[];
  /** Largest request header; then 431. */
  readonly headerBytesMax?: number;
  /** Largest request body, where that is less than the function takes; then 413. */
  readonly bodyBytesMax?: number;
  readonly cors?: CorsSettings;
  /** Default: answers are not compressed. */
  readonly compression?: CompressionSettings;
  readonly rateLimits?: readonly RateLimitSettings[];
  readonly auth?: AuthSettings;
}

export interface RateLimitSettings extends RateRule {
  /** Letters, digits and dashes. */
  readonly name: string;
  readonly per: RateKey;
}

/** Ways to prove who one is, of which one suffices. */
export interface AuthSettings {
  readonly methods: readonly AuthMethodSettings[];
  /** Whether requests without any credentials are let through. Wrong ones never are. */
  readonly anonymous: boolean;
  /** Whether the function gets to see the credentials that were checked. */
  readonly forwardCredentials: boolean;
}

export type AuthMethodSettings =
  | ({ readonly kind: 'apiKey' } & ApiKeySettings)
  | ({ readonly kind: 'basic' } & BasicSettings)
  | ({ readonly kind: 'jwt' } & JwtSettings);

export interface RoutePoliciesOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** How keys of issuers are fetched. */
  readonly fetchJson: FetchJson;
}

export class RoutePolicies {
  readonly #options: RoutePoliciesOptions;
  /** By name of the policy, then by what a limit says. */
  readonly #limiters = new Map<string, ReadonlyMap<string, RateLimiter>>();
  readonly #issuers = new Map<string, IssuerKeys>();
  readonly #verdicts = new VerdictCounts();
  readonly #bcrypt = new BcryptChecks();
  readonly #slots = new CompressionSlots(policyLimits.compressionsMax);

  constructor(options: RoutePoliciesOptions) {
    this.#options = options;
  }

  /** Makes the policy of this name, in place of the one before. */
  make(name: string, settings: RoutePolicySettings): RoutePolicy {
    const { allow, deny, auth, headerBytesMax, bodyBytesMax, cors, compression } = settings;
    const { clock } = this.#options;
    const parts = {
      ...(allow === undefined ? {} : { allowed: new AddressRanges(allow) }),
      ...(deny === undefined ? {} : { denied: new AddressRanges(deny) }),
      ...(headerBytesMax === undefined ? {} : { headerBytesMax }),
      ...(bodyBytesMax === undefined ? {} : { bodyBytesMax }),
      ...(cors === undefined ? {} : { cors }),
      ...(compression === undefined ? {} : { coding: this.#compression(compression) }),
      rateLimits: this.#limits(name, settings.rateLimits ?? []),
      ...(auth === undefined ? {} : this.#authentication(auth)),
    };
    const now = () => ({ monotonicMs: clock.monotonicMs(), wallMs: clock.now() });
    return this.#verdicts.counted(name, new ComposedPolicy(parts, now));
  }

  /** Forgets what the limits of a policy counted, and what is told about it. */
  forget(name: string): void {
    this.#limiters.delete(name);
    this.#verdicts.forget(name);
  }

  /** What became of requests, by route; `labelsOf`: what names a policy. */
  metrics(labelsOf: (name: string) => Readonly<Record<string, string>>): readonly MetricFamily[] {
    return [this.#verdicts.family(labelsOf)];
  }

  #compression(settings: CompressionSettings): AnswerCoding {
    const { clock } = this.#options;
    const monotonicMs = (): number => clock.monotonicMs();
    return new Compression({ settings, slots: this.#slots, monotonicMs });
  }

  #limits(name: string, rules: readonly RateLimitSettings[]): readonly RateLimit[] {
    const before = this.#limiters.get(name);
    const limiters = new Map<string, RateLimiter>();
    const limits = rules.map(({ name: limit, per, requests, periodMs, burst }) => {
      const key = JSON.stringify([limit, per, requests, periodMs, burst]);
      const rule = { requests, periodMs, burst };
      const limiter = before?.get(key) ?? new RateLimiter(rule, policyLimits.rateClientsMax);
      limiters.set(key, limiter);
      return { name: limit, limiter, per };
    });
    if (limiters.size > 0) this.#limiters.set(name, limiters);
    else this.#limiters.delete(name);
    return limits;
  }

  #authentication({ methods, anonymous, forwardCredentials }: AuthSettings) {
    const authenticators = methods.map((method) => this.#authenticator(method));
    return { authentication: { authenticators, anonymous }, forwardCredentials };
  }

  #authenticator(method: AuthMethodSettings): Authenticator {
    switch (method.kind) {
      case 'apiKey':
        return new ApiKeys(method);
      case 'basic':
        return new BasicUsers(method, this.#bcrypt);
      default:
        return new BearerTokens(method, this.#issuer(method));
    }
  }

  #issuer({ issuer, keysUrl }: JwtSettings): IssuerKeys {
    const { clock, logger, fetchJson } = this.#options;
    const id = JSON.stringify([issuer, keysUrl]);
    const known = this.#issuers.get(id);
    const keys =
      known ??
      new IssuerKeys({
        issuer,
        keysUrl,
        fetchJson,
        monotonicMs: () => clock.monotonicMs(),
        onFailure: (_, error) =>
          logger.warn('Cannot fetch the keys of an issuer', { issuer, error: errorMessage(error) }),
      });
    // Whoever was used last stands last. One that is forgotten serves the policies that have it.
    this.#issuers.delete(id);
    this.#issuers.set(id, keys);
    const [oldest] = this.#issuers.keys();
    if (this.#issuers.size > policyLimits.issuersMax && oldest !== undefined) {
      this.#issuers.delete(oldest);
    }
    return keys;
  }
}
