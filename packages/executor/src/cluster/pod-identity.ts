import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import { podAudience } from '@fnlet/invocation';

/** The Pod that somebody is. */
export interface PodIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Says whose a token is; `undefined`: nobody's, or not a Pod's. */
export type IdentifyPod = (token: string, signal: AbortSignal) => Promise<PodIdentity | undefined>;

const reviewPath = '/apis/authentication.k8s.io/v1/tokenreviews';

const accountPrefix = 'system:serviceaccount:';

/**
 * Asks the API, which binds the tokens that a kubelet projects into a Pod to that Pod
 * (KEP-1205): they are void once it is gone.
 */
export function identifyByTokenReview(client: Client): IdentifyPod {
  return async (token, signal) => {
    const user = await reviewToken(client, { token, audience: podAudience }, signal);
    return user === undefined ? undefined : podOf(user);
  };
}

/** A token that somebody has shown. */
export interface ReviewedToken {
  readonly token: string;
  /** Whom it must be for. */
  readonly audience: string;
}

/**
 * Asks the API whose a token is: `username`, `groups` and `extra`; `undefined` where it is nobody's,
 * or for somebody else.
 *
 * @throws Error when the API does not say it
 */
export async function reviewToken(
  { transport }: Client,
  { token, audience }: ReviewedToken,
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  // A question, which is answered and not kept: it has no name.
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token, audiences: [audience] },
  };
  const response = await transport.request({ method: 'POST', path: reviewPath, body, signal });
  const answer: unknown = await response.json();
  const status = isJsonObject(answer) && isJsonObject(answer.status) ? answer.status : undefined;
  if (status === undefined)
    throw new Error(`Cannot review a token: the API answered ${response.status}`);
  const { authenticated, audiences, user } = status;
  // A server that knows no audiences leaves them out: then the token is for the API itself.
  const isForUs = Array.isArray(audiences) && audiences.includes(audience);
  return authenticated === true && isForUs && isJsonObject(user) ? user : undefined;
}

function podOf({ username, extra }: JsonObject): PodIdentity | undefined {
  if (typeof username !== 'string' || !username.startsWith(accountPrefix)) return undefined;
  const [namespace = ''] = username.slice(accountPrefix.length).split(':');
  const name = firstOf(extra, 'authentication.kubernetes.io/pod-name');
  const uid = firstOf(extra, 'authentication.kubernetes.io/pod-uid');
  return name === undefined || uid === undefined ? undefined : { namespace, name, uid };
}

function firstOf(extra: unknown, key: string): string | undefined {
  const values = isJsonObject(extra) ? extra[key] : undefined;
  const [first]: readonly unknown[] = Array.isArray(values) ? values : [];
  return typeof first === 'string' ? first : undefined;
}
