import { isJsonObject, type JsonObject, jsonEqual } from '@fnlet/base';
import { invalidError, type KubeObject, parseApiVersion } from '@fnlet/machinery';
import type { ApiContext } from '../../api-context.ts';
import { isSuperuser } from '../../auth/decide-access.ts';
import { forbidden } from '../../builtins/refusal.ts';
import { objectField, textField } from '../../object/object-form.ts';
import { readObject } from '../../object/objects.ts';
import type { User } from '../../request/api-request.ts';
import type { Resource } from '../../resource/resource.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';
import { findParamResource } from './policy-params.ts';

type Ports = Pick<ApiContext, 'store' | 'catalog' | 'access'>;

const group = 'admissionregistration.k8s.io';

/** The resources of the policies, by those of their bindings. */
const policiesOf: ReadonlyMap<string, string> = new Map([
  ['validatingadmissionpolicybindings', 'validatingadmissionpolicies'],
  ['mutatingadmissionpolicybindings', 'mutatingadmissionpolicies'],
]);
const policies: ReadonlySet<string> = new Set(policiesOf.values());

/** Whether writing objects of a resource takes access to others. */
export function needsParamAccess({ strategy: { type } }: Resource): boolean {
  return type.group === group && (policies.has(type.plural) || policiesOf.has(type.plural));
}

/**
 * What configures a policy is shown by its messages: whoever names it must be allowed to read it
 * (kubernetes, registry/admissionregistration).
 *
 * @throws StatusError `Invalid`
 */
export async function checkParamAccess(
  ports: Ports,
  { resource, name, object, oldObject, user, subresource }: AdmissionAttributes,
): Promise<void> {
  if (object === undefined || subresource !== '' || isSuperuser(user)) return;
  const { plural } = resource.strategy.type;
  const isPolicy = policies.has(plural);
  const field = isPolicy ? 'paramKind' : 'paramRef';
  const spec = objectField(object, 'spec');
  if (!isJsonObject(spec[field]) || isUnchanged(spec, oldObject, isPolicy)) return;
  const problem = isPolicy
    ? await kindProblem(ports, objectField(spec, field), user)
    : await referenceProblem(ports, spec, { user, policies: policiesOf.get(plural) ?? '' });
  if (problem === undefined) return;
  const { kind } = resource.strategy.type;
  throw invalidError({ group, kind }, name, [forbidden(`spec.${field}`, problem)]);
}

function isUnchanged(spec: JsonObject, old: KubeObject | undefined, isPolicy: boolean): boolean {
  if (old === undefined) return false;
  const before = objectField(old, 'spec');
  if (isPolicy) return jsonEqual(before.paramKind, spec.paramKind);
  return before.policyName === spec.policyName && jsonEqual(before.paramRef, spec.paramRef);
}

async function kindProblem(
  ports: Ports,
  paramKind: JsonObject,
  user: User,
): Promise<string | undefined> {
  const asked = { verb: 'get', name: '*', namespace: '*' };
  if (await isAllowed(ports, paramKind, { ...asked, user })) return undefined;
  const { kind, apiVersion } = paramKind;
  const what = 'permission on all objects of the referenced paramKind';
  return `user ${shown(user)} must have "get" ${what} (kind=${kind}, apiVersion=${apiVersion})`;
}

async function referenceProblem(
  ports: Ports,
  spec: JsonObject,
  { user, policies: plural }: { readonly user: User; readonly policies: string },
): Promise<string | undefined> {
  const reference = objectField(spec, 'paramRef');
  const [name, namespace] = [textField(reference, 'name'), textField(reference, 'namespace')];
  const policyName = textField(spec, 'policyName');
  const verb = name === '' ? 'list' : 'get';
  const resource = ports.catalog.find(group, 'v1', plural);
  const policy = resource && readObject(ports, resource, { namespace: '', name: policyName });
  const { paramKind } = policy === undefined ? {} : objectField(policy.object, 'spec');
  const kind = isJsonObject(paramKind) ? paramKind : undefined;
  if (await isAllowed(ports, kind, { verb, name, namespace, user })) return undefined;
  if (policy !== undefined) {
    return `user ${shown(user)} does not have "${verb}" permission on the object referenced by paramRef`;
  }
  const lacks = `user ${shown(user)} does not have "${verb}" permission for all groups, versions and resources`;
  return `unable to get policy ${policyName} to determine minimum required permissions and ${lacks}`;
}

async function isAllowed(
  { catalog, store, access }: Ports,
  paramKind: JsonObject | undefined,
  asked: {
    readonly verb: string;
    readonly name: string;
    readonly namespace: string;
    readonly user: User;
  },
): Promise<boolean> {
  const target = { group: '*', version: '*', resource: '*', subresource: '' };
  if (paramKind === undefined) {
    return (await access.authorize({ kind: 'resource', ...asked, ...target })).allowed;
  }
  const [apiVersion, kind] = [textField(paramKind, 'apiVersion'), textField(paramKind, 'kind')];
  const found = findParamResource({ catalog, store }, { apiVersion, kind });
  const resource = found?.strategy.type.plural ?? '*';
  const known = { ...target, ...parseApiVersion(apiVersion), resource };
  return (await access.authorize({ kind: 'resource', ...asked, ...known })).allowed;
}

/** As Go prints a user.DefaultInfo. */
function shown({ name, uid = '', groups }: User): string {
  return `&{${name} ${uid} [${groups.join(' ')}] map[]}`;
}
