import { FnletError, isJsonObject } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import type { ResourceType } from '@fnlet/machinery';

const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/**
 * Whether the account of this process may watch a kind in all namespaces, as the API says.
 *
 * @throws FnletError `Unreachable`, to be tried again
 */
export async function mayWatch(
  { transport }: Client,
  { group, version, plural: resource }: ResourceType,
  signal: AbortSignal,
): Promise<boolean> {
  for (const verb of ['list', 'watch']) {
    const body = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { verb, group, version, resource, namespace: '' } },
    };
    const response = await transport.request({ method: 'POST', path: reviews, body, signal });
    const answer = await response.json();
    const status = isJsonObject(answer) ? answer.status : undefined;
    if (!isJsonObject(status) || typeof status.allowed !== 'boolean') {
      const message = `Cannot ask what may be watched: found ${response.status}, expected 201`;
      throw new FnletError('Unreachable', message, { retry: 'later' });
    }
    if (!status.allowed) return false;
  }
  return true;
}
