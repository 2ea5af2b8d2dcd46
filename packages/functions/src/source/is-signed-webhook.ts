import { isSigned, type SignatureScheme } from '@fnlet/gateway/webhooks';

/** A request as it came: names of headers in lower case, the body byte for byte. */
export interface WebhookDelivery {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/** By which header who signs is known; of several, the strongest counts. */
const signers: readonly (readonly [header: string, scheme: SignatureScheme])[] = [
  ['x-hub-signature-256', { kind: 'github' }],
  ['x-forgejo-signature', { kind: 'gitea' }],
  ['x-gitea-signature', { kind: 'gitea' }],
  ['webhook-signature', { kind: 'standard' }],
  ['x-gitlab-token', { kind: 'gitlab' }],
];

/**
 * Whether a delivery was made by somebody who knows the secret. One kind of signature must be there
 * and right. The age of a delivery does not matter: one that is sent again only has the repository
 * looked at.
 */
export function isSignedWebhook(delivery: WebhookDelivery, secret: string): boolean {
  const signer = signers.find(([header]) => delivery.headers[header] !== undefined);
  return signer !== undefined && isSigned(delivery, { scheme: signer[1], secret }, 0);
}
