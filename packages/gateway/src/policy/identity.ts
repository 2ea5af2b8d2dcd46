import type { JsonObject } from '@fnlet/base';
import type { Field } from './field-changes.ts';
import type { PolicyRequest } from './route-policy.ts';

/** Who a request comes from, as far as that was proved. */
export interface Identity {
  /** By which kind of credentials. */
  readonly method: 'anonymous' | 'apiKey' | 'basic' | 'jwt';
  /** A name; empty for nobody. */
  readonly consumer: string;
  readonly claims?: JsonObject;
  /** What else the function is told. */
  readonly fields?: readonly Field[];
}

/** What one way to prove an identity makes of a request. */
export type AuthOutcome = { readonly kind: 'verified'; readonly identity: Identity } | AuthFailure;

export type AuthFailure =
  /** The request has no credentials of this kind. */
  | { readonly kind: 'absent' }
  /** They are wrong. `error` is a code of RFC 6750, for tokens. */
  | { readonly kind: 'wrong'; readonly message: string; readonly error?: string }
  /** They are right, and do not suffice. */
  | { readonly kind: 'insufficient'; readonly message: string; readonly scope?: string }
  /** Too many wrong ones came from this client. */
  | { readonly kind: 'limited'; readonly retryAfterMs: number }
  /** Too many others wait to be checked. */
  | { readonly kind: 'busy' }
  /** Nobody can tell at the moment. */
  | { readonly kind: 'unavailable'; readonly message: string };

/** One way to prove who one is. */
export interface Authenticator {
  /** What WWW-Authenticate asks for. */
  readonly challenge: string;
  /** Header fields, in lower case, that carry its credentials. */
  readonly credentialFields: readonly string[];
  /** A query parameter that does. */
  readonly credentialParameter?: string;
  /** Header fields that only it may set for the function. */
  readonly identityFields: readonly string[];
  authenticate(request: PolicyRequest, now: Now): AuthOutcome | Promise<AuthOutcome>;
}

/** One moment, by both clocks. */
export interface Now {
  readonly monotonicMs: number;
  /** Since 1970. */
  readonly wallMs: number;
}

/**
 * A text as the value of a header field. What is not printable ASCII is percent-encoded UTF-8, and
 * so is the percent sign, so that two texts never become the same value.
 */
export function encodeFieldValue(text: string): string {
  const encoded = text.replace(/[^\x20-\x7e]|%/gu, (character) =>
    Buffer.from(character).toString('hex').toUpperCase().replace(/../g, '%$&'),
  );
  return encoded.replace(/^ +| +$/g, (blanks) => '%20'.repeat(blanks.length));
}
