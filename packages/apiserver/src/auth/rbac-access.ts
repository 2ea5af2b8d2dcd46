import { errorMessage, hasCode, type JsonObject, sleep } from '@fnlet/base';
import { statusError } from '@fnlet/machinery';
import type { ApiContext } from '../api-context.ts';
import { retryBaseMs } from '../limits.ts';
import { inTurns, nextTurn } from '../object/in-turns.ts';
import { objectsPrefix } from '../object/object-keys.ts';
import type { User } from '../request/api-request.ts';
import type { Access, ResolvedRules, RoleReference } from './access.ts';
import type { AccessAttributes } from './access-attributes.ts';
import { type Decision, decideAccess, decideWithoutRules } from './decide-access.ts';
import { Policy, rbacGroup } from './policy.ts';
import type { PolicyRule } from './policy-rule.ts';

const policyPrefix = `${objectsPrefix}${rbacGroup}/`;

/**
 * Authorization by roles and bindings: the policy in memory, and the loop that keeps it the one in
 * the store.
 *
 * I1. Nobody is refused because the policy is not read yet: who needs it waits.
 * I2. Nobody is refused because of a change that was acknowledged before the request came: a
 *     committed change is in the watch's hands before its writer hears of it, so a refusal is
 *     looked at again one turn of the loop later. The administrator never waits.
 */
export class RbacAccess implements Access {
  readonly #context: Pick<ApiContext, 'store' | 'clock' | 'logger'>;
  #policy: Policy | undefined;
  readonly #loaded = Promise.withResolvers<Policy>();

  constructor(context: Pick<ApiContext, 'store' | 'clock' | 'logger'>) {
    this.#context = context;
    // Whoever waits for it is told; nobody has to.
    this.#loaded.promise.catch(() => {});
  }

  /** Follows the store until `signal` aborts; begin it when the roles that must be there are. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
      } catch (error) {
        if (signal.aborted || hasCode(error, 'Closed')) break;
        this.#context.logger.warn(`The roles are read again: ${errorMessage(error)}`);
        await sleep(this.#context.clock, retryBaseMs, signal);
      }
    }
    const text = 'the server is shutting down';
    this.#loaded.reject(statusError('ServiceUnavailable', text));
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { store } = this.#context;
    const { revision } = store;
    const policy = new Policy();
    for await (const { key, value } of inTurns(store.scan(policyPrefix))) {
      applyChange(policy, key, value);
    }
    // What happened meanwhile is replayed within this turn, see I2.
    const changes = store.watch(policyPrefix, revision, signal);
    this.#policy = policy;
    this.#loaded.resolve(policy);
    for await (const { key, value } of changes) applyChange(policy, key, value);
  }

  async authorize(attributes: AccessAttributes): Promise<Decision> {
    const simple = decideWithoutRules(attributes);
    if (simple !== undefined) return simple;
    const { user } = attributes;
    const namespace = attributes.kind === 'path' ? '' : attributes.namespace;
    const decide = (policy: Policy): Decision =>
      decideAccess(attributes, policy.grants(user, namespace));
    const decision = decide(this.#policy ?? (await this.#loaded.promise));
    return decision.allowed ? decision : decide(await this.#current());
  }

  async rulesFor(user: User, namespace: string): Promise<ResolvedRules> {
    const grants = [...(await this.#current()).grants(user, namespace)];
    return {
      rules: grants.flatMap(({ rules }) => rules),
      problems: grants.flatMap(({ problem }) => (problem === undefined ? [] : [problem])),
    };
  }

  async rulesOf(
    role: RoleReference,
    namespace: string,
  ): Promise<readonly PolicyRule[] | undefined> {
    return (await this.#current()).rulesOf(role, namespace);
  }

  /** The policy with every change that was acknowledged before the call (I2). */
  async #current(): Promise<Policy> {
    await nextTurn();
    return this.#policy ?? this.#loaded.promise;
  }
}

function applyChange(policy: Policy, key: string, value: JsonObject | undefined): void {
  const rest = key.slice(policyPrefix.length);
  const slash = rest.indexOf('/');
  policy.apply(rest.slice(0, slash), rest.slice(slash + 1), value);
}
