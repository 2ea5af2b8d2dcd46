import { errorMessage, hasCode, type JsonObject, sleep } from '@fnlet/base';
import { statusError } from '@fnlet/machinery';
import type { Change, ChangeListener } from '@fnlet/store';
import type { ApiContext } from '../api-context.ts';
import { retryBaseMs } from '../limits.ts';
import { inTurns } from '../object/in-turns.ts';
import { objectsPrefix } from '../object/object-keys.ts';
import type { User } from '../request/api-request.ts';
import type { Access, ResolvedRules, RoleReference } from './access.ts';
import type { AccessAttributes } from './access-attributes.ts';
import { type Decision, decideAccess, decideWithoutRules } from './decide-access.ts';
import { Policy, rbacGroup } from './policy.ts';
import type { PolicyRule } from './policy-rule.ts';

const policyPrefix = `${objectsPrefix}${rbacGroup}/`;

/**
 * Authorization by roles and bindings: the policy in memory, which the store tells of each commit.
 *
 * I1. Nobody is refused because the policy is not read yet: who needs it waits.
 * I2. A change counts from its commit on: it is in the policy in the turn in which readers of the
 *     store first see it, before its writer hears of it. No request looks twice.
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

  /**
   * Reads the policy, and keeps it the one in the store until `signal` aborts. Begin it when the
   * roles that must be there are; resolves when the policy is read.
   */
  async run(signal: AbortSignal): Promise<void> {
    const end = (): void => {
      this.#loaded.reject(statusError('ServiceUnavailable', 'the server is shutting down'));
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
    while (!signal.aborted && this.#policy === undefined) {
      try {
        await this.#load(signal);
      } catch (error) {
        if (signal.aborted || hasCode(error, 'Closed')) break;
        this.#context.logger.warn(`The roles are read again: ${errorMessage(error)}`);
        await sleep(this.#context.clock, retryBaseMs, signal);
      }
    }
    if (this.#policy === undefined) end();
  }

  async #load(signal: AbortSignal): Promise<void> {
    const { store } = this.#context;
    const followed = new FollowedPolicy();
    const leave = store.subscribe(policyPrefix, followed);
    try {
      for await (const { key, value } of inTurns(store.scan(policyPrefix))) {
        followed.read(key, value);
      }
    } catch (error) {
      leave();
      throw error;
    }
    if (signal.aborted) {
      leave();
      return;
    }
    signal.addEventListener('abort', leave, { once: true });
    const policy = followed.complete();
    this.#policy = policy;
    this.#loaded.resolve(policy);
  }

  async authorize(attributes: AccessAttributes): Promise<Decision> {
    const simple = decideWithoutRules(attributes);
    if (simple !== undefined) return simple;
    return decideBy(this.#policy ?? (await this.#loaded.promise), attributes);
  }

  async decider(): Promise<(attributes: AccessAttributes) => Decision> {
    const policy = this.#policy ?? (await this.#loaded.promise);
    return (attributes) => decideWithoutRules(attributes) ?? decideBy(policy, attributes);
  }

  async rulesFor(user: User, namespace: string): Promise<ResolvedRules> {
    const grants = [...(this.#policy ?? (await this.#loaded.promise)).grants(user, namespace)];
    return {
      rules: grants.flatMap(({ rules }) => rules),
      problems: grants.flatMap(({ problem }) => (problem === undefined ? [] : [problem])),
    };
  }

  async rulesOf(
    role: RoleReference,
    namespace: string,
  ): Promise<readonly PolicyRule[] | undefined> {
    return (this.#policy ?? (await this.#loaded.promise)).rulesOf(role, namespace);
  }
}

function decideBy(policy: Policy, attributes: AccessAttributes): Decision {
  const namespace = attributes.kind === 'path' ? '' : attributes.namespace;
  return decideAccess(attributes, policy.grants(attributes.user, namespace));
}

/** A policy that is being read while the store goes on. */
class FollowedPolicy implements ChangeListener {
  readonly #policy = new Policy();
  /** What has changed since reading began: what is read of it is older. */
  #changed: Set<string> | undefined = new Set();

  read(key: string, value: JsonObject): void {
    if (this.#changed?.has(key) !== true) this.#apply(key, value);
  }

  changed({ key, value }: Change): void {
    this.#changed?.add(key);
    this.#apply(key, value);
  }

  /** The store has closed: nobody is asked for access any more. */
  ended(): void {}

  /** All has been read. */
  complete(): Policy {
    this.#changed = undefined;
    return this.#policy;
  }

  #apply(key: string, value: JsonObject | undefined): void {
    const rest = key.slice(policyPrefix.length);
    const slash = rest.indexOf('/');
    this.#policy.apply(rest.slice(0, slash), rest.slice(slash + 1), value);
  }
}
