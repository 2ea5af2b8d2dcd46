import { isJsonObject } from '@fnlet/base';
import type { WebhookDelivery } from './is-signed-webhook.ts';

/** What a delivery says has happened. */
export type WebhookEvent =
  /** Something was pushed; `reference` is missing where the server does not say to what. */
  | { readonly kind: 'push'; readonly reference: string | undefined }
  /** Nothing that changes a source: a ping, an issue, a release. */
  | { readonly kind: 'other'; readonly name: string };

const eventHeaders = ['x-github-event', 'x-forgejo-event', 'x-gitea-event', 'x-gitlab-event'];
const pushes: ReadonlySet<string> = new Set(['push', 'create', 'Push Hook', 'Tag Push Hook']);

/** Reads a delivery that is signed. */
export function readWebhook(delivery: WebhookDelivery): WebhookEvent {
  const { headers } = delivery;
  const name = eventHeaders.map((header) => headers[header]).find((event) => event !== undefined);
  if (name !== undefined && !pushes.has(name)) return { kind: 'other', name };
  const payload = parsePayload(delivery);
  const reference = isJsonObject(payload) ? payload.ref : undefined;
  return { kind: 'push', reference: typeof reference === 'string' ? reference : undefined };
}

/** Whether a push may change what a source that follows `followed` is. */
export function concerns(pushed: string | undefined, followed: string | undefined): boolean {
  if (pushed === undefined) return true;
  // What the repository points to itself may be any branch.
  if (followed === undefined) return !pushed.startsWith('refs/tags/');
  return [followed, `refs/heads/${followed}`, `refs/tags/${followed}`].includes(pushed);
}

function parsePayload({ headers, body }: WebhookDelivery): unknown {
  const text = Buffer.from(body).toString('utf8');
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded');
  const json = isForm === true ? (new URLSearchParams(text).get('payload') ?? '') : text;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
