import type { OpenedServer } from '../opened-server.ts';

const rbac = 'rbac.authorization.k8s.io';

/** The server as jane asks it, who may write policies of all sorts, and read nothing else. */
export async function asPolicyWriter(server: OpenedServer): Promise<OpenedServer> {
  const head = { apiVersion: `${rbac}/v1`, metadata: { name: 'w' } };
  const write = (plural: string, body: object): Promise<unknown> =>
    server.ask('POST', `/apis/${rbac}/v1/${plural}`, { body: { ...head, ...body } });
  const rules = [{ apiGroups: ['admissionregistration.k8s.io'], resources: ['*'], verbs: ['*'] }];
  await write('clusterroles', { kind: 'ClusterRole', rules });
  const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: 'w' };
  const subjects = [{ apiGroup: rbac, kind: 'User', name: 'jane' }];
  await write('clusterrolebindings', { kind: 'ClusterRoleBinding', roleRef, subjects });
  const user = { name: 'jane', groups: ['system:authenticated'] };
  return {
    ...server,
    ask: (method, path, options) => server.ask(method, path, { ...options, user }),
  };
}

/** Jane, as refusals print who asks. */
export const shownWriter = 'user &{jane  [system:authenticated] map[]}';
