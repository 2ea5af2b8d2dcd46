import type { CelAccessCheck, CelAuthorizer } from './cel-access.ts';
import { celError } from './cel-error.ts';
import { asString, asTagged, type CelMachine, type CelOverload, overload } from './cel-function.ts';
import type { CelValue } from './cel-value.ts';

/** What one check costs (apiserver, cel/library: it may be a call to another program). */
const checkCost = 350_000;

/** Kubernetes' authz and authzSelectors libraries. */
export const celAuthorizationFunctions = (): readonly CelOverload[] => [
  overload('authorizer.path(string): pathCheck', ([authorizer, path]) => ({
    kind: 'pathCheck',
    authorizer: authorizerOf(authorizer),
    path: named('path', path),
  })),
  overload('authorizer.group(string): groupCheck', ([authorizer, group]) => ({
    kind: 'groupCheck',
    authorizer: authorizerOf(authorizer),
    group: asString(group),
  })),
  overload('authorizer.serviceAccount(string, string): authorizer', ([value, ...names]) => {
    const [namespace, name] = names.map(asString);
    if (namespace === undefined || !label.test(namespace) || namespace.length > 63) {
      throw celError('invalid service account namespace');
    }
    if (name === undefined || !subdomain.test(name) || name.length > 253) {
      throw celError('invalid service account name');
    }
    return { kind: 'authorizer', authorizer: authorizerOf(value).serviceAccount(namespace, name) };
  }),
  overload('groupCheck.resource(string): resourceCheck', ([value, resource]) => {
    const { authorizer, group } = asTagged('groupCheck', value);
    const nothing = { subresource: '', namespace: '', name: '' };
    const check = { group, resource: named('resource', resource), ...nothing };
    return { kind: 'resourceCheck', authorizer, check };
  }),
  ...(['subresource', 'namespace', 'name'] as const).map((part) =>
    overload(`resourceCheck.${part}(string): resourceCheck`, ([value, text]) => {
      const { authorizer, check } = asTagged('resourceCheck', value);
      const changed = { ...check, [part]: asString(text) };
      return { kind: 'resourceCheck', authorizer, check: changed };
    }),
  ),
  // Roles know no selectors: what they allow they allow for every selection (KEP-4601).
  ...['fieldSelector', 'labelSelector'].map((name) =>
    overload(`resourceCheck.${name}(string): resourceCheck`, ([value]) =>
      asTagged('resourceCheck', value),
    ),
  ),
  overload('pathCheck.check(string): decision', ([value, verb], machine) => {
    const { authorizer, path } = asTagged('pathCheck', value);
    return decide(machine, authorizer, { kind: 'path', path, verb: asString(verb) });
  }),
  overload('resourceCheck.check(string): decision', ([value, verb], machine) => {
    const { authorizer, check } = asTagged('resourceCheck', value);
    return decide(machine, authorizer, { kind: 'resource', ...check, verb: asString(verb) });
  }),
  overload('decision.allowed(): bool', ([value]) => asTagged('decision', value).decision.allowed),
  overload('decision.reason(): string', ([value]) => asTagged('decision', value).decision.reason),
  // Whoever cannot decide refuses here, and says why as the reason.
  overload('decision.errored(): bool', () => false),
  overload('decision.error(): string', () => ''),
];

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function authorizerOf(value: CelValue | undefined): CelAuthorizer {
  return asTagged('authorizer', value).authorizer;
}

function named(what: string, value: CelValue | undefined): string {
  const text = asString(value);
  if (text.trim() === '') throw celError(`${what} must not be empty`);
  return text;
}

function decide(machine: CelMachine, authorizer: CelAuthorizer, check: CelAccessCheck): CelValue {
  machine.charge(checkCost);
  return { kind: 'decision', decision: authorizer.decide(check) };
}
