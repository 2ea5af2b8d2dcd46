import { isJsonObject } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import { type KubeObject, type ResourceType, resourcePath } from '@fnlet/machinery';
import { limits } from './limits.ts';
import type { Pod } from './pod.ts';

/** core/v1 ServiceAccount. */
interface ServiceAccount extends KubeObject {
  readonly automountServiceAccountToken?: boolean;
}

const serviceAccountType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
};

/** Where client libraries look for them. */
export const accountDirectory = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Names of the files, with their content. */
export type AccountFiles = Readonly<Record<'token' | 'ca.crt' | 'namespace', string>>;

/**
 * What a Pod proves with who it is: a token that is good for as long as the Pod lives.
 *
 * A Pod gets it that names an account of its own, or asks for it with
 * `automountServiceAccountToken: true`. Those that act as `default` never use it, and the view of
 * the file system that it takes would make every start slower.
 */
export async function readAccountFiles(
  client: Client,
  { pod, caPem }: { readonly pod: Pod; readonly caPem: string },
  signal: AbortSignal,
): Promise<AccountFiles | undefined> {
  const { namespace = '' } = pod.metadata;
  const { serviceAccountName: name = 'default', automountServiceAccountToken: asked } = pod.spec;
  if (asked === false || (asked === undefined && name === 'default')) return undefined;
  const accounts = client.of<ServiceAccount>(serviceAccountType);
  const account = await accounts.tryGet({ namespace, name }, { signal });
  if (account === undefined) return undefined;
  if (asked === undefined && account.automountServiceAccountToken === false) return undefined;
  const token = await requestToken(client, { pod, audience: undefined }, signal);
  return token === undefined ? undefined : { token, 'ca.crt': caPem, namespace };
}

/** Tokens of the Pod's account by whom they are for; those for this API under ''. */
export type AccountTokens = ReadonlyMap<string, string>;

/** The tokens that projected volumes of a Pod ask for, whichever account it acts as. */
export async function readProjectedTokens(
  client: Client,
  pod: Pod,
  signal: AbortSignal,
): Promise<AccountTokens> {
  const tokens = new Map<string, string>();
  const sources = (pod.spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  for (const { serviceAccountToken } of sources) {
    if (serviceAccountToken === undefined) continue;
    const { audience = '' } = serviceAccountToken;
    if (tokens.has(audience)) continue;
    const token = await requestToken(client, { pod, audience: audience || undefined }, signal);
    if (token !== undefined) tokens.set(audience, token);
  }
  return tokens;
}

async function requestToken(
  client: Client,
  { pod, audience }: { readonly pod: Pod; readonly audience: string | undefined },
  signal: AbortSignal,
): Promise<string | undefined> {
  const { namespace = '', name: podName, uid } = pod.metadata;
  const { serviceAccountName: name = 'default' } = pod.spec;
  const response = await client.transport.request({
    method: 'POST',
    path: resourcePath(serviceAccountType, { namespace, name, subresource: 'token' }),
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {
        ...(audience === undefined ? {} : { audiences: [audience] }),
        expirationSeconds: limits.accountTokenSeconds,
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: podName, uid },
      },
    },
    signal,
  });
  return tokenOf(await response.json());
}

function tokenOf(answer: unknown): string | undefined {
  const status = isJsonObject(answer) && isJsonObject(answer.status) ? answer.status : {};
  return typeof status.token === 'string' ? status.token : undefined;
}
