import type { EventSignatureScheme, WebhookEvents } from '@fnlet/api';
import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { CloudEvent } from '../../event/cloud-event.ts';
import { parseAttributes } from '../../event/event-attributes.ts';
import { assertPlain, type HttpHeaders } from '../../event/http-event.ts';
import { isMediaType } from '../../event/media-type.ts';

/** How the requests of a service tell what they are about. */
interface WebhookService {
  readonly type: string;
  readonly typeFrom?: string;
  readonly idFrom?: string;
  /** The same, where it stands in the body. */
  readonly inBody?: (body: JsonObject) => { readonly type?: unknown; readonly id?: unknown };
}

const anyService: WebhookService = { type: 'dev.fnlet.webhook' };

const services: Readonly<Record<EventSignatureScheme, WebhookService>> = {
  github: { type: 'com.github', typeFrom: 'x-github-event', idFrom: 'x-github-delivery' },
  gitlab: { type: 'com.gitlab', typeFrom: 'x-gitlab-event', idFrom: 'x-gitlab-event-uuid' },
  gitea: { type: 'io.gitea', typeFrom: 'x-gitea-event', idFrom: 'x-gitea-delivery' },
  stripe: { type: 'com.stripe', inBody: ({ type, id }) => ({ type, id }) },
  slack: {
    type: 'com.slack',
    inBody: ({ event, event_id: id }) => ({ type: isJsonObject(event) ? event.type : event, id }),
  },
  standard: { ...anyService, idFrom: 'webhook-id' },
  hmac: anyService,
};

export interface WebhookRequest {
  readonly headers: HttpHeaders;
  readonly body: Uint8Array;
}

/** What the event has that the request does not say. */
export interface WebhookDefaults {
  readonly scheme: EventSignatureScheme | undefined;
  readonly source: string;
  readonly subject?: string | undefined;
  readonly id: string;
  /** RFC 3339. */
  readonly time: string;
}

/**
 * The event that a plain request is: its body as it came is the data.
 *
 * @throws EventError `InvalidEvent` when a header holds what no attribute can, `UnsupportedFormat`
 * when its body is compressed
 */
export function webhookEvent(
  { headers, body }: WebhookRequest,
  webhook: WebhookEvents,
  defaults: WebhookDefaults,
): CloudEvent {
  assertPlain(headers);
  const service = services[defaults.scheme ?? 'hmac'];
  const { type = service.type, typeFrom = service.typeFrom, idFrom = service.idFrom } = webhook;
  const told = service.inBody?.(parseBody(body)) ?? {};
  const kind = headerOf(headers, typeFrom) ?? textOf(told.type);
  const contentType = headerOf(headers, 'content-type');
  const attributes = parseAttributes([
    ['specversion', '1.0'],
    ['id', headerOf(headers, idFrom) ?? textOf(told.id) ?? defaults.id],
    ['source', webhook.source ?? defaults.source],
    ['type', kind === undefined ? type : `${type}.${kind.toLowerCase().replace(/\s+/g, '-')}`],
    ['subject', defaults.subject],
    ['time', defaults.time],
    ['datacontenttype', isMediaType(contentType ?? '') ? contentType : undefined],
  ]);
  return { attributes, data: body.length === 0 ? undefined : body };
}

/** What Slack asks before it sends events: to be told this. */
export function slackChallenge(body: Uint8Array): string | undefined {
  const { type, challenge } = parseBody(body);
  return type === 'url_verification' ? textOf(challenge) : undefined;
}

function parseBody(body: Uint8Array): JsonObject {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString());
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

function headerOf(headers: HttpHeaders, name: string | undefined): string | undefined {
  const value = name === undefined ? undefined : headers[name.toLowerCase()];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
