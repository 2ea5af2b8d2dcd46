/**
 * What accounts may do, as the API answers, remembered.
 *
 * I1. An answer is believed for `accessAgeMaxMs`, or until it is forgotten, whichever comes first.
 * I2. At most `reviewsAtOnce` questions are asked at once, whoever asks.
 */
import { type Clock, FnletError, isJsonObject } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import { accessAgeMaxMs, reviewsAtOnce } from '../limits.ts';
import { type Account, groupsOf, userOf } from './account.ts';
import type { Permission } from './permission.ts';

const reviews = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

interface Known {
  readonly allowed: boolean;
  readonly atMs: number;
}

export class AccessReviews {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #known = new Map<string, Map<string, Known>>();

  constructor({ client, clock }: { readonly client: Client; readonly clock: Clock }) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Those of the permissions that the account has not. */
  async missing(
    account: Account,
    permissions: readonly Permission[],
    signal: AbortSignal,
  ): Promise<Permission[]> {
    const missing: Permission[] = [];
    const waiting = [...new Map(permissions.map((one) => [idOf(one), one])).values()].values();
    const ask = async (): Promise<void> => {
      for (const permission of waiting) {
        if (!(await this.#isAllowed(account, permission, signal))) missing.push(permission);
      }
    };
    await Promise.all(Array.from({ length: reviewsAtOnce }, ask));
    // They have come in any order.
    return permissions.filter((one) => missing.includes(one));
  }

  /** Asks anew from now on about this account, or about all. */
  forget(account?: Account): void {
    if (account === undefined) this.#known.clear();
    else this.#known.delete(userOf(account));
  }

  async #isAllowed(
    account: Account,
    permission: Permission,
    signal: AbortSignal,
  ): Promise<boolean> {
    const user = userOf(account);
    const ofAccount = this.#known.get(user) ?? new Map<string, Known>();
    this.#known.set(user, ofAccount);
    const id = idOf(permission);
    const known = ofAccount.get(id);
    const nowMs = this.#clock.monotonicMs();
    if (known !== undefined && nowMs - known.atMs < accessAgeMaxMs) return known.allowed;
    const allowed = await this.#ask(account, permission, signal);
    ofAccount.set(id, { allowed, atMs: nowMs });
    return allowed;
  }

  async #ask(account: Account, permission: Permission, signal: AbortSignal): Promise<boolean> {
    const { group, resource, subresource, verb, namespace } = permission;
    const body = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: {
        user: userOf(account),
        groups: groupsOf(account),
        resourceAttributes: { group, resource, subresource, verb, namespace },
      },
    };
    const { transport } = this.#client;
    const response = await transport.request({ method: 'POST', path: reviews, body, signal });
    const answer = await response.json();
    const status = isJsonObject(answer) ? answer.status : undefined;
    if (isJsonObject(status) && typeof status.allowed === 'boolean') return status.allowed;
    throw new FnletError(
      'Unreachable',
      `Cannot ask what "${userOf(account)}" may do: found ${response.status}, expected 201`,
      { retry: 'later' },
    );
  }
}

function idOf({ group, resource, subresource, verb, namespace }: Permission): string {
  return [verb, group, resource, subresource, namespace].join(' ');
}
