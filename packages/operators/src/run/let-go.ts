import { type OperatorObject, objectFinalizerOf } from '@fnlet/api';
import { hasCode, type Logger } from '@fnlet/base';
import { actAs, type Client } from '@fnlet/client';
import { formatObjectKey, type KubeObject } from '@fnlet/machinery';
import { createFinalizer, resourceTypeOf } from '@fnlet/reconcile';
import { userOf } from '../access/account.ts';
import type { ServedKind } from '../plan/kinds.ts';
import { accountOf } from '../plan/readiness.ts';

export interface LetGoRequest {
  readonly operator: OperatorObject;
  /** The kind of its objects. */
  readonly served: ServedKind;
  /** With the rights of the hub. */
  readonly client: Client;
  readonly logger: Logger;
  /** Why nobody can clean up, for the log. */
  readonly why: string;
}

/**
 * Takes the finalizer of an Operator off all its objects: as its account, which may where nobody
 * took its rights away, else as the hub.
 *
 * @throws what the API answers when neither may
 */
export async function letGo(request: LetGoRequest, signal: AbortSignal): Promise<void> {
  const { client, operator } = request;
  try {
    const asAccount = client.over(actAs(client.transport, userOf(accountOf(operator))));
    await letGoWith({ ...request, client: asAccount }, signal);
  } catch (error) {
    if (!hasCode(error, 'Forbidden')) throw error;
    await letGoWith(request, signal);
  }
}

async function letGoWith(
  { operator, served, client, logger, why }: LetGoRequest,
  signal: AbortSignal,
): Promise<void> {
  const objects = client.of<KubeObject>(resourceTypeOf(served.kind));
  const { metadata } = operator;
  const name = objectFinalizerOf(operator);
  const finalizer = createFinalizer({ client: objects, name });
  const { items } = await objects.list({ signal });
  const held = items.filter((object) => object.metadata.finalizers?.includes(name) === true);
  if (held.length > 0) {
    const key = formatObjectKey({ namespace: metadata.namespace ?? '', name: metadata.name });
    const about = { operator: key, objects: held.length, why };
    logger.warn('Objects are let go that nobody can clean up', about);
  }
  for (const object of held) await finalizer.remove(object, signal);
}
