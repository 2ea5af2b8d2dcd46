import { type StatusError, statusError } from '@fnlet/machinery';
import { qualifiedResource } from '../answer/status-texts.ts';
import type { User } from '../request/api-request.ts';
import type { AccessAttributes } from './access-attributes.ts';
import { type PolicyRule, ruleAllows } from './policy-rule.ts';

/** What one binding gives a user, in one namespace or everywhere. */
export interface Grant {
  /** Such as `RoleBinding "rb/t" of Role "r" to User "jane"`. */
  readonly source: string;
  readonly rules: readonly PolicyRule[];
  /** What kept the rules from being found, if anything did. */
  readonly problem?: string;
}

/** Whether something may be done, and why; the reason is empty when there is nothing to say. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

/** Members of this group may do everything, whatever the rules say. */
export const superuserGroup = 'system:masters';

export function isSuperuser(user: User): boolean {
  return user.groups.includes(superuserGroup);
}

// kube-apiserver --authorization-always-allow-paths: whoever looks after the process asks for these.
const alwaysAllowedPaths: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz']);

/** A decision that needs no rules; `undefined` where they must be looked at. */
export function decideWithoutRules(attributes: AccessAttributes): Decision | undefined {
  const isOpen = attributes.kind === 'path' && alwaysAllowedPaths.has(attributes.path);
  return isOpen || isSuperuser(attributes.user) ? { allowed: true, reason: '' } : undefined;
}

/**
 * Whether the rules that were granted to the user allow it. Rules only ever add: what no rule
 * allows is refused, and nothing can be taken away (rbac authorizer).
 */
export function decideAccess(attributes: AccessAttributes, grants: Iterable<Grant>): Decision {
  const problems: string[] = [];
  for (const { source, rules, problem } of grants) {
    if (rules.some((rule) => ruleAllows(rule, attributes))) {
      return { allowed: true, reason: `RBAC: allowed by ${source}` };
    }
    if (problem !== undefined) problems.push(problem);
  }
  return { allowed: false, reason: problems.length === 0 ? '' : `RBAC: ${aggregate(problems)}` };
}

/** Several errors in one, as util/errors prints them. */
export function aggregate(problems: readonly string[]): string {
  const distinct = [...new Set(problems)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}

/** The 403 for what was refused, in the words of apiserver's responsewriters. */
export function accessRefusal(attributes: AccessAttributes, reason: string): StatusError {
  const text = escapeMarkup(refusalText(attributes));
  const why = reason === '' ? text : `${text}: ${reason}`;
  if (attributes.kind === 'path') return statusError('Forbidden', `forbidden: ${why}`, {});
  const { group, resource, name } = attributes;
  const quoted = name === '' ? '' : ` "${name}"`;
  const what = qualifiedResource({ group, plural: resource });
  return statusError('Forbidden', `${what}${quoted} is forbidden: ${why}`, {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    kind: resource,
  });
}

function refusalText(attributes: AccessAttributes): string {
  const { user, verb } = attributes;
  const who = `User ${JSON.stringify(user.name)} cannot ${verb}`;
  if (attributes.kind === 'path') return `${who} path ${JSON.stringify(attributes.path)}`;
  const { group, resource, subresource, namespace } = attributes;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  return `${who} resource "${what}" in API group "${group}" ${where}`;
}

// Names come from the request; browsers must not take them for markup.
function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
