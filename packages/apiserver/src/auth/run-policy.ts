import { errorMessage } from '@fnlet/base';
import type { ApiContext } from '../api-context.ts';
import { bootstrapPolicy } from './bootstrap.ts';
import { rbacGroup } from './policy.ts';
import type { RbacAccess } from './rbac-access.ts';
import { RoleAggregation } from './role-aggregation.ts';

/** Makes the default roles, and then follows all roles until `signal` aborts. */
export async function runPolicy(
  context: ApiContext,
  access: RbacAccess,
  signal: AbortSignal,
): Promise<void> {
  await bootstrapPolicy(context).catch((error: unknown) => {
    if (signal.aborted) return;
    // What is stored counts all the same; the next start tries again.
    context.logger.error(`Cannot make the default roles: ${errorMessage(error)}`);
  });
  const roles = context.catalog.find(rbacGroup, 'v1', 'clusterroles');
  const loops = roles === undefined ? [] : [new RoleAggregation(context, roles).loop.run(signal)];
  await Promise.all([access.run(signal), ...loops]);
}
