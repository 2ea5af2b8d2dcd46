import type { Access } from './access.ts';
import type { AccessAttributes } from './access-attributes.ts';
import { accessRefusal } from './decide-access.ts';

/** @throws StatusError `Forbidden` for the first of these that is not allowed */
export async function requireAccess(
  access: Access,
  required: readonly AccessAttributes[],
): Promise<void> {
  for (const attributes of required) {
    const { allowed, reason } = await access.authorize(attributes);
    if (!allowed) throw accessRefusal(attributes, reason);
  }
}
