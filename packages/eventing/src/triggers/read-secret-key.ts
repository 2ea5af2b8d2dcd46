import type { Client } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import { secretType } from '../http/trigger-policies.ts';

interface Secret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** The text under a key of a Secret; `undefined` while there is none. */
export async function readSecretKey(
  client: Client,
  {
    namespace,
    name,
    key,
  }: { readonly namespace: string; readonly name: string; readonly key: string },
): Promise<string | undefined> {
  const secret = await client.of<Secret>(secretType).tryGet({ namespace, name });
  const value = secret?.data?.[key];
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString();
}
