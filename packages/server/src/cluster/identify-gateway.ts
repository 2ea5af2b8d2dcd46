import { type Clock, isJsonObject, type JsonObject } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import { reviewToken } from '@fnlet/executor/cluster';
import type { KubeObject, ObjectKey, ResourceType } from '@fnlet/machinery';
import type { GatewayIdentity } from './fleet-front.ts';
import { podLookMs } from './limits.ts';
import { clusterNames, controllerAudience } from './names.ts';

const podType: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true },
};

interface PlacedPod extends KubeObject {
  readonly spec?: { readonly nodeName?: string };
}

export interface IdentifyGatewayOptions {
  readonly client: Client;
  /** Namespace of the installation. */
  readonly namespace: string;
  readonly clock: Clock;
}

/**
 * Asks the API whose a token is: `undefined` where it is not that of a Gateway.
 *
 * @throws Error when the API does not say it
 */
export async function identifyGateway(
  { client, namespace, clock }: IdentifyGatewayOptions,
  token: string,
  signal: AbortSignal,
): Promise<GatewayIdentity | undefined> {
  const user = await reviewToken(client, { token, audience: controllerAudience }, signal);
  const gateway = user === undefined ? undefined : readGatewayUser(user, namespace);
  if (gateway === undefined) return undefined;
  const { node, pod: name } = gateway;
  if (node !== undefined || name === undefined) return { node };
  return { node: await findNode({ client, clock }, { namespace, name }, signal) };
}

/**
 * What a user (authentication.k8s.io/v1 UserInfo) is as a Gateway; `undefined`: somebody else. From
 * Kubernetes 1.30 on a token says the Node itself (KEP-4193).
 */
export function readGatewayUser(
  user: JsonObject,
  namespace: string,
): { readonly node: string | undefined; readonly pod: string | undefined } | undefined {
  const account = `${namespace}:${clusterNames.gateway}`;
  if (user.username !== `system:serviceaccount:${account}`) return undefined;
  return { node: extraOf(user, 'node-name'), pod: extraOf(user, 'pod-name') };
}

/** The Node that a Pod runs on; `undefined`: nobody says it in time, which nobody waits for. */
export async function findNode(
  { client, clock }: Pick<IdentifyGatewayOptions, 'client' | 'clock'>,
  pod: ObjectKey,
  signal: AbortSignal,
): Promise<string | undefined> {
  const late = new AbortController();
  const timer = clock.after(podLookMs, () => late.abort());
  try {
    const either = AbortSignal.any([signal, late.signal]);
    const found = await client.of<PlacedPod>(podType).tryGet(pod, { signal: either });
    return found?.spec?.nodeName;
  } catch {
    // It is then as good a Gateway as without zones.
    return undefined;
  } finally {
    timer.cancel();
  }
}

function extraOf({ extra }: JsonObject, name: string): string | undefined {
  const values = isJsonObject(extra) ? extra[`authentication.kubernetes.io/${name}`] : undefined;
  const [first]: readonly unknown[] = Array.isArray(values) ? values : [];
  return typeof first === 'string' ? first : undefined;
}
