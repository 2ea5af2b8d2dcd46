import type { DurationText } from './answer.ts';
import type { Kind } from './kind.ts';
import type { ObjectShape } from './object.ts';

/** Who sent the request (authentication.k8s.io, UserInfo). */
export interface RequestUser {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
}

/** What is to be admitted (admission.k8s.io/v1, AdmissionRequest); frozen. */
export interface AdmissionRequest<T extends ObjectShape> {
  readonly uid: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  /** The name is empty for an object whose name is to be generated. */
  readonly key: { readonly namespace: string; readonly name: string };
  /** The object as it shall be; none for DELETE. */
  readonly object: T | undefined;
  /** The object as it is; none for CREATE. */
  readonly oldObject: T | undefined;
  readonly resource: {
    readonly group: string;
    readonly version: string;
    readonly resource: string;
  };
  /** `status`, `scale`, …; empty for the object itself. */
  readonly subresource: string;
  readonly user: RequestUser;
  /** Nothing will be stored: do nothing that outlasts the call. */
  readonly isDryRun: boolean;
  readonly options: Readonly<Record<string, unknown>>;
}

/** What a webhook says of a request. Nothing at all lets it pass. */
export interface Verdict {
  /** Why the request is refused; kubectl prints it behind `admission webhook "…" denied …`. */
  readonly denied?: string | undefined;
  /** The HTTP status of a refusal. Default 403. */
  readonly code?: number | undefined;
  /** Shown to the user, whether refused or not; each at most 120 characters for a good look. */
  readonly warnings?: readonly string[] | undefined;
}

/** A verdict that may come with the object as it shall be instead. */
export interface MutatingVerdict<T extends ObjectShape> extends Verdict {
  readonly object?: T | undefined;
}

type Answered<V> = V | undefined | Promise<V | undefined>;

/** Looks at a request; `signal` aborts when nobody waits for the answer any more. */
export type Validate<T extends ObjectShape> = (
  request: AdmissionRequest<T>,
  signal: AbortSignal,
) => Answered<Verdict>;

/** Looks at a request and may change its object, by returning another one. */
export type Mutate<T extends ObjectShape> = (
  request: AdmissionRequest<T>,
  signal: AbortSignal,
) => Answered<MutatingVerdict<T>>;

/** When an admission webhook is asked, and what happens when it cannot be. */
export interface AdmissionTerms {
  /** Default: CREATE and UPDATE. */
  readonly operations?: readonly ('CREATE' | 'UPDATE' | 'DELETE')[];
  /** Whether what it was not asked about is refused, or passes. Default Fail. */
  readonly failurePolicy?: 'Fail' | 'Ignore';
  /** How long the API waits, 1s to 30s. Default 10s. */
  readonly timeout?: DurationText;
}

/** A webhook as data and a function: an operator's `webhooks`. */
export interface AdmissionWebhook<T extends ObjectShape = ObjectShape> {
  readonly type: 'validating' | 'mutating';
  readonly kind: Kind<T>;
  readonly terms: AdmissionTerms;
  judge(request: AdmissionRequest<T>, signal: AbortSignal): Answered<MutatingVerdict<T>>;
}

/**
 * A validating webhook for objects of a kind: it is asked before they are stored. When it throws,
 * or takes too long, the request is refused: what could not be checked is not admitted.
 *
 * @example
 * operator(WebSite, { webhooks: [validating(WebSite, ({ object }) =>
 *   isKnown(object?.spec.plan) ? undefined : { denied: 'spec.plan must be one of …' })], … });
 */
export function validating<T extends ObjectShape>(
  kind: Kind<T>,
  judge: Validate<T>,
  terms: AdmissionTerms = {},
): AdmissionWebhook<T> {
  return { type: 'validating', kind, terms, judge };
}

/**
 * A mutating webhook for objects of a kind: it returns the object as it shall be, and only what
 * differs from the one that was sent is changed.
 *
 * @example
 * mutating(WebSite, ({ object, user }) => object && {
 *   object: { ...object, spec: { ...object.spec, owner: user.name } } });
 */
export function mutating<T extends ObjectShape>(
  kind: Kind<T>,
  judge: Mutate<T>,
  terms: AdmissionTerms = {},
): AdmissionWebhook<T> {
  return { type: 'mutating', kind, terms, judge };
}
