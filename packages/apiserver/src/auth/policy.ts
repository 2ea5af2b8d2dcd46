import type { JsonObject } from '@fnlet/base';
import { listField, objectField, textField } from '../object/object-form.ts';
import type { User } from '../request/api-request.ts';
import type { RoleReference } from './access.ts';
import { ClusterRoles } from './cluster-roles.ts';
import type { Grant } from './decide-access.ts';
import { type PolicyRule, parsePolicyRules } from './policy-rule.ts';

/** The API group of roles and bindings. */
export const rbacGroup = 'rbac.authorization.k8s.io';

interface Binding {
  readonly name: string;
  /** Empty for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly role: RoleReference;
  readonly subjects: readonly Subject[];
}

interface Subject {
  /** `User:jane`, `Group:devs`; a ServiceAccount is the user that its tokens name. */
  readonly principal: string;
  /** Such as `ServiceAccount "sa/default"`. */
  readonly description: string;
}

/**
 * All roles and bindings, found by whom they are for.
 *
 * I1. `#bindings` holds each binding under each of its principals, and `#known` the same bindings
 *     by the place of their objects, so that what was bound before a change is found and taken out.
 */
export class Policy {
  /** `<namespace>/<name>` -> rules. */
  readonly #roles = new Map<string, readonly PolicyRule[]>();
  readonly #clusterRoles = new ClusterRoles();
  readonly #known = new Map<string, Binding>();
  /** Namespace -> principal -> bindings; empty for those that count everywhere. */
  readonly #bindings = new Map<string, Map<string, Set<Binding>>>();

  /** Takes a role or binding in, or out when `value` is `undefined`. */
  apply(plural: string, place: string, value: JsonObject | undefined): void {
    const [name = '', namespace = ''] = place.split('/').reverse();
    if (plural === 'clusterroles') {
      this.#clusterRoles.apply(name, value);
      return;
    }
    if (plural === 'roles') {
      if (value === undefined) this.#roles.delete(place);
      else this.#roles.set(place, parsePolicyRules(value.rules));
      return;
    }
    // Somebody may have defined a kind of their own in this group; it grants nothing.
    if (plural !== 'rolebindings' && plural !== 'clusterrolebindings') return;
    this.#unbind(`${plural}/${place}`);
    if (value !== undefined) this.#bind(`${plural}/${place}`, parseBinding(value, name, namespace));
  }

  #bind(key: string, binding: Binding): void {
    const principals = this.#bindings.get(binding.namespace) ?? new Map<string, Set<Binding>>();
    this.#bindings.set(binding.namespace, principals);
    this.#known.set(key, binding);
    for (const { principal } of binding.subjects) {
      const bound = principals.get(principal) ?? new Set();
      principals.set(principal, bound.add(binding));
    }
  }

  #unbind(key: string): void {
    const binding = this.#known.get(key);
    if (binding === undefined) return;
    this.#known.delete(key);
    const principals = this.#bindings.get(binding.namespace);
    for (const { principal } of binding.subjects) {
      const bound = principals?.get(principal);
      bound?.delete(binding);
      if (bound?.size === 0) principals?.delete(principal);
    }
    if (principals?.size === 0) this.#bindings.delete(binding.namespace);
  }

  /** What the user was given everywhere and, unless empty, in the namespace. */
  *grants(user: User, namespace: string): Generator<Grant, void, undefined> {
    const principals = principalsOf(user);
    for (const scope of namespace === '' ? [''] : ['', namespace]) {
      const bound = this.#bindings.get(scope);
      if (bound === undefined) continue;
      const found = new Set(principals.flatMap((principal) => [...(bound.get(principal) ?? [])]));
      for (const binding of found) yield this.#grant(binding, principals);
    }
  }

  #grant(binding: Binding, principals: readonly string[]): Grant {
    const source = describe(binding, principals);
    const rules = this.rulesOf(binding.role, binding.namespace);
    if (rules !== undefined) return { source, rules };
    const { kind, name } = binding.role;
    const problem = `${kind.toLowerCase()}.${rbacGroup} "${name}" not found`;
    return { source, rules: [], problem };
  }

  /** The rules of a role as seen from a namespace; `undefined` when there is no such role. */
  rulesOf({ kind, name }: RoleReference, namespace: string): readonly PolicyRule[] | undefined {
    if (kind === 'Role') return this.#roles.get(`${namespace}/${name}`);
    return this.#clusterRoles.rulesOf(name);
  }
}

function principalsOf({ name, groups }: User): readonly string[] {
  return [`User:${name}`, ...groups.map((group) => `Group:${group}`)];
}

function parseBinding(value: JsonObject, name: string, namespace: string): Binding {
  const reference = objectField(value, 'roleRef');
  const role = { kind: textField(reference, 'kind'), name: textField(reference, 'name') };
  const subjects = listField(value, 'subjects').map((subject) => parseSubject(subject, namespace));
  return { name, namespace, role, subjects };
}

function parseSubject(value: JsonObject, bindingNamespace: string): Subject {
  const kind = textField(value, 'kind');
  const name = textField(value, 'name');
  if (kind !== 'ServiceAccount') {
    return { principal: `${kind}:${name}`, description: `${kind} ${JSON.stringify(name)}` };
  }
  const namespace = textField(value, 'namespace') || bindingNamespace;
  return {
    principal: `User:${serviceAccountUser(namespace, name)}`,
    description: `ServiceAccount "${name}/${namespace}"`,
  };
}

/** The user that the tokens of a ServiceAccount name. */
export function serviceAccountUser(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

function describe(binding: Binding, principals: readonly string[]): string {
  const { name, namespace, role, subjects } = binding;
  const subject = subjects.find(({ principal }) => principals.includes(principal));
  const what =
    namespace === '' ? `ClusterRoleBinding "${name}"` : `RoleBinding "${name}/${namespace}"`;
  return `${what} of ${role.kind} "${role.name}" to ${subject?.description ?? 'nobody'}`;
}
