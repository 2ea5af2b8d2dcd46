import { unreachable } from '@fnlet/base';
import { type Field, fieldValues } from './field-changes.ts';
import type { Authenticator, AuthFailure, AuthOutcome, Identity, Now } from './identity.ts';
import { refuse } from './refusals.ts';
import type { PolicyRequest, Refusal } from './route-policy.ts';

/** The ways in which a route lets requests prove who they are from. */
export interface AuthenticationSettings {
  /** Any one of them suffices; the first that accepts names the consumer. */
  readonly authenticators: readonly Authenticator[];
  /** Whether requests without any credentials are let through. Wrong ones never are. */
  readonly anonymous: boolean;
}

type Judgement = Identity | Refusal;

const nobody: Identity = { method: 'anonymous', consumer: '' };

/** Who a request is from, or why it is not let through. */
export function authenticate(
  settings: AuthenticationSettings,
  request: PolicyRequest,
  now: Now,
): Judgement | Promise<Judgement> {
  const { authenticators } = settings;
  const ambiguous = findAmbiguous(authenticators, request);
  if (ambiguous !== undefined) return ambiguous;
  const failures: AuthFailure[] = [];
  const ask = (index: number): Judgement | Promise<Judgement> => {
    const take = (outcome: AuthOutcome): Judgement | Promise<Judgement> => {
      if (outcome.kind === 'verified') return outcome.identity;
      failures.push(outcome);
      return ask(index + 1);
    };
    const outcome = authenticators[index]?.authenticate(request, now);
    if (outcome === undefined) return conclude(settings, failures);
    return outcome instanceof Promise ? outcome.then(take) : take(outcome);
  };
  return ask(0);
}

// Of two lines with credentials the function could believe the one that was not checked.
function findAmbiguous(
  authenticators: readonly Authenticator[],
  { head }: PolicyRequest,
): Refusal | undefined {
  for (const name of authenticators.flatMap(({ credentialFields }) => credentialFields)) {
    if (fieldValues(head.fields, name).length > 1) {
      const message = `The header ${name} is given more than once`;
      return refuse({ status: 400, code: 'BadRequest', message });
    }
  }
  return undefined;
}

function conclude(settings: AuthenticationSettings, failures: readonly AuthFailure[]): Judgement {
  let told: AuthFailure = { kind: 'absent' };
  for (const failure of failures) if (rank[failure.kind] > rank[told.kind]) told = failure;
  return told.kind === 'absent' && settings.anonymous ? nobody : explain(settings, told);
}

/** Of several failures that one is told which the client can do most about. */
const rank: Readonly<Record<AuthFailure['kind'], number>> = {
  absent: 0,
  wrong: 1,
  busy: 2,
  unavailable: 2,
  limited: 3,
  insufficient: 4,
};

function explain({ authenticators }: AuthenticationSettings, failure: AuthFailure): Refusal {
  switch (failure.kind) {
    case 'absent':
    case 'wrong': {
      const { message, error } =
        failure.kind === 'wrong'
          ? failure
          : { message: 'This needs credentials', error: undefined };
      const fields = authenticators.map(({ challenge }): Field => {
        const isToken = challenge.startsWith('Bearer') && error !== undefined;
        return ['WWW-Authenticate', isToken ? `${challenge}, error="${error}"` : challenge];
      });
      return refuse({ status: 401, code: 'Unauthenticated', message, fields });
    }
    case 'insufficient': {
      const { message, scope } = failure;
      const wanted = scope === undefined ? '' : `, scope="${scope}"`;
      const challenge = `Bearer realm="api", error="insufficient_scope"${wanted}`;
      const fields: readonly Field[] = [['WWW-Authenticate', challenge]];
      return refuse({ status: 403, code: 'Forbidden', message, fields });
    }
    case 'limited': {
      const { retryAfterMs } = failure;
      const message = 'Too many wrong passwords came from here';
      return refuse({ status: 429, code: 'TooManyFailures', message, retryAfterMs });
    }
    case 'busy': {
      const message = 'Too many passwords are being checked already';
      return refuse({ status: 503, code: 'PasswordsBusy', message, retryAfterMs: 1_000 });
    }
    case 'unavailable':
      return refuse({
        status: 503,
        code: 'IssuerUnavailable',
        message: failure.message,
        retryAfterMs: 30_000,
      });
    default:
      return unreachable(failure);
  }
}
