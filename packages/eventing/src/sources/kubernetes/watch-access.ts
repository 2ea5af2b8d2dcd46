/**
 * Whether a ServiceAccount may see what a Trigger wants to be told of. The watch itself is Fnlet's
 * own and everybody's, so whoever may write Triggers must not see more by them than they may name.
 */
import { isJsonObject } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import type { ResourceType } from '@fnlet/machinery';
import { SourceError } from '../source-error.ts';

const reviews = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

export interface WatchAccess {
  readonly client: Client;
  readonly type: ResourceType;
  /** Where the objects are; `*` stands for everywhere. */
  readonly namespaces: readonly string[];
  readonly serviceAccount: { readonly namespace: string; readonly name: string };
}

/**
 * @throws SourceError `Forbidden` when it may not
 */
export async function requireWatchAccess(access: WatchAccess): Promise<void> {
  const { type, namespaces } = access;
  const everywhere = !type.namespaced || namespaces.includes('*');
  for (const namespace of everywhere ? [''] : namespaces) {
    for (const verb of ['list', 'watch']) {
      if (!(await isAllowed(access, verb, namespace))) throw forbidden(access, verb, namespace);
    }
  }
}

async function isAllowed(
  { client, type, serviceAccount }: WatchAccess,
  verb: string,
  namespace: string,
): Promise<boolean> {
  const { namespace: home, name } = serviceAccount;
  const { group, plural: resource, version } = type;
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: {
      user: `system:serviceaccount:${home}:${name}`,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${home}`, 'system:authenticated'],
      resourceAttributes: { verb, group, version, resource, namespace },
    },
  };
  const response = await client.transport.request({ method: 'POST', path: reviews, body });
  const answer = await response.json();
  const answered = isJsonObject(answer) ? answer.status : undefined;
  if (isJsonObject(answered) && typeof answered.allowed === 'boolean') return answered.allowed;
  const message = `Cannot ask what "${name}" may do: found status ${response.status}, expected 201`;
  throw new SourceError('Unreachable', message);
}

function forbidden(
  { type, serviceAccount }: WatchAccess,
  verb: string,
  namespace: string,
): SourceError {
  const who = `ServiceAccount "${serviceAccount.namespace}/${serviceAccount.name}"`;
  const what = type.group === '' ? type.plural : `${type.plural}.${type.group}`;
  const where = namespace === '' ? 'in all namespaces' : `in namespace "${namespace}"`;
  const message = `Cannot follow ${what}: ${who} may not ${verb} them ${where}; bind a role to it`;
  return new SourceError('Forbidden', message);
}
