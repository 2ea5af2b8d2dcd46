import type { OperatorObject } from '@fnlet/api';
import { hasCode } from '@fnlet/base';
import { actAs, type Client } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import { createFinalizer, resourceTypeOf } from '@fnlet/reconcile';
import { type Account, userOf } from '../access/account.ts';
import type { ServedKind } from '../plan/kinds.ts';

export interface LetGoRequest {
  readonly operator: OperatorObject;
  readonly account: Account;
  /** The kind of its objects. */
  readonly served: ServedKind;
  /** With the rights of the hub. */
  readonly client: Client;
  /** Told before the first of them is let go. */
  readonly onHeld: (count: number) => void;
}

/**
 * Takes the finalizer of an Operator off all its objects: as its account, which may where nobody
 * took its rights away, else as the hub.
 *
 * @throws what the API answers when neither may
 */
export async function letGo(request: LetGoRequest, signal: AbortSignal): Promise<void> {
  const { client, account } = request;
  try {
    const asAccount = client.over(actAs(client.transport, userOf(account)));
    await letGoWith({ ...request, client: asAccount }, signal);
  } catch (error) {
    if (!hasCode(error, 'Forbidden')) throw error;
    await letGoWith(request, signal);
  }
}

async function letGoWith(
  { operator: { spec, metadata }, served, client, onHeld }: LetGoRequest,
  signal: AbortSignal,
): Promise<void> {
  const objects = client.of<KubeObject>(resourceTypeOf(served.kind));
  const name = `fnlet.dev/${spec.fieldManager ?? metadata.name}`;
  const finalizer = createFinalizer({ client: objects, name });
  const { items } = await objects.list({ signal });
  const held = items.filter((object) => object.metadata.finalizers?.includes(name) === true);
  if (held.length > 0) onHeld(held.length);
  for (const object of held) await finalizer.remove(object, signal);
}
