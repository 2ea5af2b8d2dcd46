import type { User } from '../request/api-request.ts';
import type { AccessAttributes } from './access-attributes.ts';
import type { Decision } from './decide-access.ts';
import type { PolicyRule } from './policy-rule.ts';

/** The role that a binding gives. */
export interface RoleReference {
  readonly kind: string;
  readonly name: string;
}

/** The rules that count for a user, and what could not be resolved while they were gathered. */
export interface ResolvedRules {
  readonly rules: readonly PolicyRule[];
  readonly problems: readonly string[];
}

/** Who may do what. */
export interface Access {
  authorize(attributes: AccessAttributes): Promise<Decision>;
  /** What decides as `authorize` does, without waiting: it is there once the rules have been read. */
  decider(): Promise<(attributes: AccessAttributes) => Decision>;
  /** Every rule that counts for the user everywhere and, unless empty, in the namespace. */
  rulesFor(user: User, namespace: string): Promise<ResolvedRules>;
  /** The rules of a role as seen from a namespace; `undefined` when there is no such role. */
  rulesOf(role: RoleReference, namespace: string): Promise<readonly PolicyRule[] | undefined>;
}
