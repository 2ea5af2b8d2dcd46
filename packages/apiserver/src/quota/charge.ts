import { deepFreeze, hasCode } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import type { Mutation } from '@fnlet/store';
import { forbidden, internalError } from '../answer/status-texts.ts';
import type { ApiContext } from '../api-context.ts';
import { mirrorUser } from '../auth/authentication.ts';
import { updateTriesMax } from '../limits.ts';
import { objectField } from '../object/object-form.ts';
import type { Resource } from '../resource/resource.ts';
import type { Asker } from '../resource/strategy.ts';
import { bounds, type ChargedWrite, decideCharge, mayCost } from './decide-charge.ts';
import { evaluatorOf } from './evaluators.ts';
import type { KeptQuota } from './quotas.ts';
import { showUsage } from './usage.ts';

/** What is to be written, and for whom. */
export interface ChargeRequest {
  readonly object: KubeObject;
  /** The object as it is; absent for a creation. */
  readonly old?: KubeObject | undefined;
  readonly subresource?: string | undefined;
  readonly asker: Asker | undefined;
}

/** What a write costs under the quotas of its namespace. */
export interface Charge {
  /** Whether it fits, now; keeps nothing. @throws StatusError `Forbidden` */
  check(): void;
  /**
   * Writes the object and what it adds to the quotas in one commit: both happen, or neither.
   *
   * @throws StatusError `Forbidden`; `InternalError`: others change the quotas again and again
   * @throws StoreError `Conflict` when another write of the object came first
   */
  commit(mutation: Mutation): Promise<readonly number[]>;
}

/**
 * `undefined` where no quota has a say in it, which is cheap to tell. What the server makes by
 * itself, and the Pods that show what runs already, are counted once they are there
 * (QuotaController), and never refused.
 */
export function chargeOf(
  context: ApiContext,
  resource: Resource,
  request: ChargeRequest,
): Charge | undefined {
  const { quotas, clock } = context;
  const { object, old, subresource, asker } = request;
  const { namespace = '', name } = object.metadata;
  if (!quotas.countIn(namespace) || asker === undefined) return undefined;
  if (asker.user.name === mirrorUser.name) return undefined;
  const { type, stored } = resource.strategy;
  const evaluator = evaluatorOf(stored);
  if (evaluator === undefined) return undefined;
  const write: ChargedWrite = { evaluator, object, old, subresource, now: clock.now() };
  if (!mayCost(write)) return undefined;
  if (!quotas.of(namespace).some(({ quota }) => bounds(quota, evaluator))) return undefined;
  const decide = (): readonly Mutation[] => {
    const kept = quotas.of(namespace);
    const decision = decideCharge(
      kept.map(({ quota }) => quota),
      write,
    );
    if (decision.kind === 'refused') throw forbidden(type, name, { text: decision.text });
    return decision.charges.flatMap(({ quota, used }) => {
      const found = kept.find((one) => one.quota === quota);
      return found === undefined ? [] : [withUsed(found, showUsage(used))];
    });
  };
  return {
    check: () => void decide(),
    commit: (mutation) => quotas.inTurn(namespace, () => commitCharged(context, mutation, decide)),
  };
}

async function commitCharged(
  { quotas, store }: ApiContext,
  mutation: Mutation,
  decide: () => readonly Mutation[],
): Promise<readonly number[]> {
  for (let tries = 1; ; tries++) {
    // A quota of the same name that is there already: the write itself will fail.
    const charges = decide().filter(({ key }) => key !== mutation.key);
    try {
      const mutations = [mutation, ...charges];
      const keys = mutations.map(({ key }) => key);
      return await quotas.counting(keys, () => store.write(mutations));
    } catch (error) {
      // Somebody has changed one of the quotas: it is asked again.
      const isStale = charges.some(({ key, expected }) => store.revisionOf(key) !== expected);
      if (!hasCode(error, 'Conflict') || !isStale) throw error;
      // No conflict of the object itself, which would mean that it is there already.
      if (tries === updateTriesMax) throw internalError('resource quota evaluation timed out');
    }
  }
}

function withUsed({ key, revision, value }: KeptQuota, used: unknown): Mutation {
  const status = { ...objectField(value, 'status'), used };
  return { key, value: deepFreeze({ ...value, status }), expected: revision };
}
