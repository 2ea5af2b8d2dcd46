/**
 * All that a route demands, in the order of what it costs: addresses, sizes, CORS, limits that
 * count whoever calls, credentials, limits that count who that is.
 *
 * I1. Fields by which the function knows who calls come from here only, also where nobody proved
 *     anything. They are removed in every spelling that a function could take for theirs.
 * I2. A refusal tells what an answer would have told: CORS, and what is left of the limits.
 */
import type { AddressRanges } from './address-ranges.ts';
import { type AuthenticationSettings, authenticate } from './authentication.ts';
import { type CorsSettings, decideCors } from './cors.ts';
import { type Field, type FieldChanges, fieldValues, foldName } from './field-changes.ts';
import { encodeFieldValue, type Identity, type Now } from './identity.ts';
import { countRequest, countsIdentity, type RateLimit } from './rate-limits.ts';
import { refuse } from './refusals.ts';
import type {
  AnswerCoding,
  Pass,
  PolicyRequest,
  Refusal,
  RoutePolicy,
  Verdict,
} from './route-policy.ts';

/** What a policy is made of; what is not there is not demanded. */
export interface PolicyParts {
  /** Addresses that may call. Default: all but those denied. */
  readonly allowed?: Pick<AddressRanges, 'has'>;
  readonly denied?: Pick<AddressRanges, 'has'>;
  readonly headerBytesMax?: number;
  readonly bodyBytesMax?: number;
  readonly cors?: CorsSettings;
  readonly rateLimits?: readonly RateLimit[];
  readonly authentication?: AuthenticationSettings;
  readonly coding?: AnswerCoding;
  /** Whether the function gets to see the credentials that were checked. */
  readonly forwardCredentials?: boolean;
}

/** Names the consumer for the function, and how it proved that. */
const consumerField = 'X-Fnlet-Consumer';
const methodField = 'X-Fnlet-Auth';

const noChanges: FieldChanges = { remove: new Set(), add: [] };

export class ComposedPolicy implements RoutePolicy {
  readonly #parts: PolicyParts;
  readonly #now: () => Now;
  /** Fields of requests that the function never gets as they came (I1). */
  readonly #removed: ReadonlySet<string>;
  readonly #early: readonly RateLimit[];
  readonly #late: readonly RateLimit[];
  /** What every request that passes has in common. */
  readonly #passing: Partial<Pass>;

  constructor(parts: PolicyParts, now: () => Now) {
    const { rateLimits = [], forwardCredentials = false, bodyBytesMax, coding } = parts;
    const authenticators = parts.authentication?.authenticators ?? [];
    this.#parts = parts;
    this.#now = now;
    const identity = authenticators.flatMap(({ identityFields }) => identityFields);
    const hidden = authenticators.flatMap(({ credentialFields }) => credentialFields);
    const owned = [consumerField, methodField, ...identity, ...(forwardCredentials ? [] : hidden)];
    this.#removed = new Set(owned.map(foldName));
    this.#early = rateLimits.filter((limit) => !countsIdentity(limit));
    this.#late = rateLimits.filter(countsIdentity);
    const parameters = authenticators.flatMap(({ credentialParameter }) =>
      credentialParameter === undefined || forwardCredentials ? [] : [credentialParameter],
    );
    this.#passing = {
      ...(parameters.length === 0 ? {} : { withoutParameters: parameters }),
      ...(bodyBytesMax === undefined ? {} : { bodyBytesMax }),
      ...(coding === undefined ? {} : { coding }),
    };
  }

  admit(request: PolicyRequest): Verdict | Promise<Verdict> {
    const { cors, authentication } = this.#parts;
    const shared = cors === undefined ? undefined : decideCors(cors, corsRequest(request));
    const answer = shared?.kind === 'actual' ? shared.changes : noChanges;
    const refusal = this.#checkAddress(request) ?? this.#checkSize(request);
    if (refusal !== undefined) return withFields(refusal, answer.add);
    if (shared?.kind === 'preflight') return preflight(shared.fields);
    const now = this.#now();
    const counted = countRequest(this.#early, { request, identity: undefined }, now.monotonicMs);
    const told = withFurther(answer, counted.fields);
    if (counted.refusal !== undefined) return withFields(counted.refusal, told.add);
    if (authentication === undefined) return this.#pass(undefined, told);
    const conclude = (judgement: Identity | Refusal): Verdict =>
      'kind' in judgement
        ? withFields(judgement, told.add)
        : this.#passAs(judgement, { request, answer: told, nowMs: now.monotonicMs });
    const judgement = authenticate(authentication, request, now);
    return judgement instanceof Promise ? judgement.then(conclude) : conclude(judgement);
  }

  #passAs(
    identity: Identity,
    asked: {
      readonly request: PolicyRequest;
      readonly answer: FieldChanges;
      readonly nowMs: number;
    },
  ): Verdict {
    const { request, answer, nowMs } = asked;
    const { fields, refusal } = countRequest(this.#late, { request, identity }, nowMs);
    const told = withFurther(answer, fields);
    return refusal === undefined ? this.#pass(identity, told) : withFields(refusal, told.add);
  }

  #pass(identity: Identity | undefined, answer: FieldChanges): Verdict {
    const add = identity === undefined ? [] : identityFields(identity);
    return {
      kind: 'pass',
      forward: { remove: this.#removed, add },
      ...(identity === undefined ? {} : { consumer: identity.consumer }),
      ...(answer === noChanges ? {} : { answer }),
      ...this.#passing,
    };
  }

  #checkAddress({ clientAddress }: PolicyRequest): Refusal | undefined {
    const { allowed, denied } = this.#parts;
    const isAllowed = allowed === undefined || allowed.has(clientAddress);
    if (isAllowed && denied?.has(clientAddress) !== true) return undefined;
    const message = 'Calls from this address are not taken';
    return refuse({ status: 403, code: 'AddressNotAllowed', message });
  }

  #checkSize({ head }: PolicyRequest): Refusal | undefined {
    const { headerBytesMax } = this.#parts;
    if (headerBytesMax === undefined) return undefined;
    let bytes = head.fields.kept.length;
    for (const [name, value] of head.fields.known) bytes += name.length + value.length + 4;
    if (bytes <= headerBytesMax) return undefined;
    const message = `The request header is larger than ${headerBytesMax} bytes`;
    return refuse({ status: 431, code: 'HeaderTooLarge', message });
  }
}

function corsRequest({ head }: PolicyRequest): Parameters<typeof decideCors>[1] {
  const first = (name: string): string | undefined => fieldValues(head.fields, name)[0];
  return {
    method: head.method,
    origin: first('origin'),
    requestMethod: first('access-control-request-method'),
    requestHeaders: first('access-control-request-headers'),
  };
}

function preflight(fields: readonly Field[]): Refusal {
  return refuse({ status: 204, code: 'Preflight', message: 'Asked whether to call', fields });
}

function identityFields({ consumer, method, fields = [] }: Identity): readonly Field[] {
  const named: readonly Field[] =
    consumer === '' ? [] : [[consumerField, encodeFieldValue(consumer)]];
  return [[methodField, method], ...named, ...fields];
}

function withFurther(changes: FieldChanges, fields: readonly Field[]): FieldChanges {
  if (fields.length === 0) return changes;
  return { remove: changes.remove, add: [...changes.add, ...fields] };
}

function withFields({ answer }: Refusal, fields: readonly Field[]): Refusal {
  return { kind: 'refusal', answer: { ...answer, fields: [...(answer.fields ?? []), ...fields] } };
}
