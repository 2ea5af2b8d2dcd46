import { createHmac, timingSafeEqual } from 'node:crypto';

/** A request as it came: names of headers in lower case, the body byte for byte. */
export interface WebhookDelivery {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/**
 * Whether a delivery was made by somebody who knows the secret. One kind of signature must be there
 * and right; of several, the strongest counts:
 *
 * - GitHub: `X-Hub-Signature-256: sha256=<hex HMAC of the body>`
 * - Gitea, Forgejo: `X-Gitea-Signature`, `X-Forgejo-Signature`: the hex HMAC of the body
 * - GitLab's signing token: `webhook-signature: v1,<base64 HMAC of id.timestamp.body>`, whose key
 *   is the base64 behind `whsec_` (Standard Webhooks)
 * - GitLab's secret token: `X-Gitlab-Token: <the secret itself>`
 *
 * The age of a delivery does not matter: one that is sent again only has the repository looked at.
 */
export function isSigned({ headers, body }: WebhookDelivery, secret: string): boolean {
  if (secret === '') return false;
  const hmac = (): string => createHmac('sha256', secret).update(body).digest('hex');
  const github = headers['x-hub-signature-256'];
  if (github !== undefined) return isEqual(github, `sha256=${hmac()}`);
  const gitea = headers['x-forgejo-signature'] ?? headers['x-gitea-signature'];
  if (gitea !== undefined) return isEqual(gitea, hmac());
  const standard = headers['webhook-signature'];
  if (standard !== undefined) {
    const expected = `v1,${standardSignature(headers, body, secret)}`;
    return standard.split(' ').some((signature) => isEqual(signature, expected));
  }
  const token = headers['x-gitlab-token'];
  return token !== undefined && isEqual(token, secret);
}

function standardSignature(
  headers: WebhookDelivery['headers'],
  body: Uint8Array,
  secret: string,
): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signed = `${headers['webhook-id'] ?? ''}.${headers['webhook-timestamp'] ?? ''}.`;
  return createHmac('sha256', key).update(signed).update(body).digest('base64');
}

/** In a time that tells nothing about where they differ. */
function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
