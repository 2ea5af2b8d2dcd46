import type { FieldSchema } from './field-schema.ts';
import { headerName } from './header-name.ts';
import { eventAttributeCharactersMax } from './limits.ts';

/** Requests that are taken as events: answered 202 once these are kept. */
export interface HttpEvents {
  readonly format: HttpEventFormat;
  /** What requests become that are no CloudEvents. */
  readonly webhook?: WebhookEvents;
  /** Default: none is asked for. */
  readonly signature?: EventSignature;
}

export type HttpEventFormat = 'cloudevents' | 'webhook' | 'any';

/** The attributes of an event that a plain request becomes; its body is the data. */
export interface WebhookEvents {
  /** Default: that of the service that signs, else dev.fnlet.webhook. */
  readonly type?: string;
  /** Header whose value goes behind the type. Default: that of the service that signs. */
  readonly typeFrom?: string;
  /** Default: the path of the Trigger in the API. */
  readonly source?: string;
  /** Header with the id. Default: that of the service that signs, else each has a new one. */
  readonly idFrom?: string;
  /** `path`: that of the request, behind the prefix that takes it. Default: none. */
  readonly subject?: 'path';
}

/** What requests have to be signed with. */
export interface EventSignature {
  readonly scheme: EventSignatureScheme;
  readonly secret: EventSecret;
  readonly tolerance?: string;
  readonly header?: string;
  readonly algorithm?: 'sha1' | 'sha256' | 'sha512';
  readonly encoding?: 'hex' | 'base64';
  readonly prefix?: string;
}

export type EventSignatureScheme =
  | 'github'
  | 'gitlab'
  | 'gitea'
  | 'stripe'
  | 'slack'
  | 'standard'
  | 'hmac';

/** One value of a Secret. */
export interface EventSecret {
  readonly name: string;
  readonly key: string;
}

const webhookSchema: FieldSchema<WebhookEvents> = {
  type: 'object',
  description:
    'What a request becomes that is no CloudEvent: its body is the data of the event, its ' +
    'Content-Type the type of the data.',
  properties: {
    type: {
      type: 'string',
      description:
        'Type of the events. Default is com.github, com.gitlab, io.gitea, com.stripe or com.slack, ' +
        'where such a service signs, else dev.fnlet.webhook.',
      minLength: 1,
      maxLength: eventAttributeCharactersMax,
    },
    typeFrom: headerName(
      'A header whose value goes behind the type, with a dot between them. Default is ' +
        'X-GitHub-Event, X-Gitlab-Event or X-Gitea-Event, where such a service signs.',
    ),
    source: {
      type: 'string',
      description:
        'Source of the events, a URI reference. Default is the Trigger, as the API has it.',
      minLength: 1,
      maxLength: eventAttributeCharactersMax,
      pattern: "^[-A-Za-z0-9._~:/?#@!$&'()*+,;=%]+$",
    },
    idFrom: headerName(
      'A header with the id of the event: what comes with the same one within ten minutes is the ' +
        'same event again. Default is X-GitHub-Delivery, X-Gitlab-Event-UUID, X-Gitea-Delivery or ' +
        'webhook-id, where such a service signs; without it each request is an event of its own.',
    ),
    subject: {
      type: 'string',
      description:
        'Subject of the events: path is the path of the request behind the longest prefix among ' +
        'the paths of the Trigger that takes it, as /hooks/web is web for the prefix /hooks. ' +
        'Default is none.',
      enum: ['path'],
    },
  },
};

const signatureSchema: FieldSchema<EventSignature> = {
  type: 'object',
  description: 'What requests have to be signed with; others are answered 401.',
  properties: {
    scheme: {
      type: 'string',
      description:
        'Who signs: github, gitlab, gitea (Forgejo, too), stripe, slack, standard for Standard ' +
        'Webhooks, or hmac for anybody who puts an HMAC of the body into a header.',
      enum: ['github', 'gitlab', 'gitea', 'stripe', 'slack', 'standard', 'hmac'],
      required: true,
    },
    secret: {
      type: 'object',
      description: 'What the sender signs with.',
      properties: {
        name: {
          type: 'string',
          description: 'Name of a Secret in the namespace of the Trigger.',
          minLength: 1,
          maxLength: 253,
          required: true,
        },
        key: {
          type: 'string',
          description:
            'The key in the Secret whose value is taken; of several lines each is a secret.',
          minLength: 1,
          maxLength: 253,
          required: true,
        },
      },
      required: true,
    },
    tolerance: {
      type: 'string',
      description:
        'How far the time in what was signed may be away, against requests that somebody else ' +
        'sends again; of stripe, slack, standard. Default is 5m.',
      maxLength: 32,
      pattern: '^([0-9]+([.][0-9]+)?(ms|s|m|h))+$',
    },
    header: headerName('Of hmac: the header with the signature.'),
    algorithm: {
      type: 'string',
      description: 'Of hmac: the hash. Default is sha256.',
      enum: ['sha1', 'sha256', 'sha512'],
    },
    encoding: {
      type: 'string',
      description: 'Of hmac: how the signature is written. Default is hex.',
      enum: ['hex', 'base64'],
    },
    prefix: {
      type: 'string',
      description:
        'Of hmac: what stands before the signature, such as sha256=. Default is nothing.',
      maxLength: 64,
    },
  },
  'x-kubernetes-validations': [
    {
      rule: "self.scheme != 'hmac' || has(self.header)",
      message: 'hmac needs header: name the one with the signature',
    },
    {
      rule:
        "self.scheme == 'hmac' || " +
        '!(has(self.header) || has(self.algorithm) || has(self.encoding) || has(self.prefix))',
      message: 'header, algorithm, encoding and prefix go with hmac',
    },
    {
      rule: "self.scheme in ['stripe', 'slack', 'standard'] || !has(self.tolerance)",
      message: 'tolerance goes with stripe, slack and standard, which sign a time',
    },
  ],
};

export const httpEventsSchema: FieldSchema<HttpEvents> = {
  type: 'object',
  description:
    'Takes requests as events: they are answered 202 with the ids of the events once these are ' +
    'kept, and delivered to the target after that.',
  properties: {
    format: {
      type: 'string',
      description:
        'What requests are: cloudevents (binary, structured, batch), webhook for any other, or any ' +
        'for both.',
      enum: ['cloudevents', 'webhook', 'any'],
      default: 'cloudevents',
    },
    webhook: webhookSchema,
    signature: signatureSchema,
  },
  'x-kubernetes-validations': [
    {
      rule: "self.format != 'cloudevents' || !has(self.webhook)",
      message: 'webhook goes with the formats webhook and any',
    },
  ],
};
