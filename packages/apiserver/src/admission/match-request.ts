import type { KubeObject } from '@fnlet/machinery';
import { selects } from '../builtins/label-selector-rule.ts';
import type { Resource } from '../resource/resource.ts';
import { type AdmissionAttributes, showsOwnKind } from './admission-attributes.ts';
import {
  isEmptySelector,
  type RequestConstraints,
  type RequestRule,
} from './request-constraints.ts';

/** What matching asks the server for. */
export interface MatchWorld {
  /** The labels of a Namespace. @throws StatusError `NotFound` */
  labelsOfNamespace(name: string): Readonly<Record<string, string>>;
  /** The other resources that show the same objects, such as other versions. */
  equivalents(resource: Resource): readonly Resource[];
}

/**
 * The resource as which a webhook or a policy is to see the request; `undefined` when it is not
 * asked (apiserver, admission/plugin/webhook/generic and admission/plugin/policy/matching).
 *
 * @throws StatusError `NotFound` (the Namespace whose labels are asked for)
 */
export function matchRequest(
  constraints: RequestConstraints,
  attributes: AdmissionAttributes,
  world: MatchWorld,
): Resource | undefined {
  if (!matchesObject(constraints, attributes)) return undefined;
  const seenAs = findResource(constraints, attributes, world);
  // Only one that the request is for may fail it for a Namespace that is not there.
  if (seenAs === undefined || !matchesNamespace(constraints, attributes, world)) return undefined;
  return seenAs;
}

/** The resource that the rules are about, this one before others of the same objects. */
export function findResource(
  { rules, isExact }: Pick<RequestConstraints, 'rules' | 'isExact'>,
  attributes: AdmissionAttributes,
  world: MatchWorld,
): Resource | undefined {
  const { resource } = attributes;
  if (rules.some((rule) => matchesRule(rule, attributes, resource))) return resource;
  if (isExact || !showsOwnKind(attributes)) return undefined;
  return world
    .equivalents(resource)
    .find((other) => rules.some((rule) => matchesRule(rule, attributes, other)));
}

function matchesRule(
  rule: RequestRule,
  { operation, subresource, namespace, name }: AdmissionAttributes,
  { strategy: { type } }: Resource,
): boolean {
  return (
    has(rule.operations, operation) &&
    has(rule.apiGroups, type.group) &&
    has(rule.apiVersions, type.version) &&
    (rule.names.length === 0 || rule.names.includes(name)) &&
    rule.resources.some((pattern) => matchesResource(pattern, type.plural, subresource)) &&
    matchesScope(rule.scope, isNamespace(type) ? '' : namespace)
  );
}

function has(known: readonly string[], wanted: string): boolean {
  return known.includes('*') || known.includes(wanted);
}

// `*` means all resources, and no subresource.
function matchesResource(pattern: string, plural: string, subresource: string): boolean {
  const slash = pattern.indexOf('/');
  const resource = slash < 0 ? pattern : pattern.slice(0, slash);
  const part = slash < 0 ? '' : pattern.slice(slash + 1);
  return (resource === '*' || resource === plural) && (part === '*' || part === subresource);
}

function matchesScope(scope: string, namespace: string): boolean {
  if (scope === 'Namespaced') return namespace !== '';
  return scope !== 'Cluster' || namespace === '';
}

function matchesObject(
  { objectSelector }: RequestConstraints,
  { object, oldObject }: AdmissionAttributes,
): boolean {
  if (isEmptySelector(objectSelector)) return true;
  const matches = (one: KubeObject | undefined): boolean =>
    one !== undefined && selects(objectSelector, one.metadata.labels ?? {});
  return matches(object) || matches(oldObject);
}

function matchesNamespace(
  { namespaceSelector }: RequestConstraints,
  attributes: AdmissionAttributes,
  world: MatchWorld,
): boolean {
  if (isEmptySelector(namespaceSelector)) return true;
  const { namespace, object, resource, subresource } = attributes;
  const isOfNamespace = isNamespace(resource.strategy.type);
  // What belongs to no Namespace is never exempted by one.
  if (namespace === '' && !isOfNamespace) return true;
  // Of a Namespace that is written, the labels that it shall have count.
  const own = isOfNamespace && subresource === '' && object !== undefined;
  const labels = own ? (object.metadata.labels ?? {}) : world.labelsOfNamespace(namespace);
  return selects(namespaceSelector, labels);
}

function isNamespace({ group, plural }: { group: string; plural: string }): boolean {
  return group === '' && plural === 'namespaces';
}
