import type { FieldSchema } from './field-schema.ts';
import { natsServersMax, natsSubjectCharactersMax, urlCharactersMax } from './limits.ts';

/** Messages of NATS: of a subject, or, with `stream`, of a stream of JetStream. */
export interface NatsSource {
  readonly servers: readonly string[];
  /** With `stream` it narrows what is taken of it. */
  readonly subject?: string;
  /** Members of a group share the messages of a subject. Default: one for each Trigger. */
  readonly queueGroup?: string;
  /** A stream of JetStream. Default: none; messages that come while nobody listens are lost. */
  readonly stream?: string;
  /** A durable consumer of the stream that is there. Default: one that Fnlet makes. */
  readonly consumer?: string;
  /** Where a consumer that Fnlet makes begins. */
  readonly from: NatsStart;
  /** A Secret: user and password, token, nkey or creds; ca.crt, tls.crt and tls.key. */
  readonly secret?: string;
}

export type NatsStart = 'oldest' | 'newest';

const subjectPattern = '^[^ .*>\\t]+([.][^ .*>\\t]+)*$';
// Tokens between dots; `*` stands for one, `>` for all that are left.
const wildcardPattern = '^(([^ .*>\\t]+|[*])[.])*([^ .*>\\t]+|[*]|>)$';

export const natsSourceSchema: FieldSchema<NatsSource> = {
  type: 'object',
  description:
    'Messages of NATS. Those of a stream of JetStream are acknowledged once they are kept here, ' +
    'so that none is lost; those of a subject alone are sent to who listens, and nobody keeps ' +
    'them before.',
  properties: {
    servers: {
      type: 'array',
      description: 'Addresses, such as nats://nats:4222 or tls://nats.example.com:4222.',
      items: {
        type: 'string',
        description: 'An address of a server; clients learn those of its cluster from it.',
        minLength: 1,
        maxLength: urlCharactersMax,
        pattern: '^(nats|tls|ws|wss)://[^/?#@ ]+$',
      },
      minItems: 1,
      maxItems: natsServersMax,
      required: true,
    },
    subject: {
      type: 'string',
      description:
        'Which messages: a subject, * for one token and > for all that are left. With a stream ' +
        'the default is all of it.',
      minLength: 1,
      maxLength: natsSubjectCharactersMax,
      pattern: wildcardPattern,
    },
    queueGroup: {
      type: 'string',
      description:
        'Members of a group share the messages of a subject. Default is a group of the Trigger.',
      minLength: 1,
      maxLength: natsSubjectCharactersMax,
      pattern: subjectPattern,
    },
    stream: {
      type: 'string',
      description: 'Name of a stream of JetStream.',
      minLength: 1,
      maxLength: natsSubjectCharactersMax,
      pattern: '^[^ .*>/\\\\\\t]+$',
    },
    consumer: {
      type: 'string',
      description:
        'A durable pull consumer of the stream that is there, with explicit acknowledgement. ' +
        'Default is one that Fnlet makes, fnlet- and the uid of the Trigger; it stays at the ' +
        'server when the Trigger goes.',
      minLength: 1,
      maxLength: natsSubjectCharactersMax,
      pattern: '^[^ .*>/\\\\\\t]+$',
    },
    from: {
      type: 'string',
      description: 'Where a consumer that Fnlet makes begins: oldest or newest.',
      enum: ['oldest', 'newest'],
      default: 'newest',
    },
    secret: {
      type: 'string',
      description:
        'A Secret of the namespace that says who Fnlet is: user and password, or token, or nkey ' +
        '(the seed), or creds (a file as nsc writes it). With ca.crt the certificate of the ' +
        'server is checked by it; tls.crt and tls.key are the certificate of Fnlet.',
      minLength: 1,
      maxLength: 253,
    },
  },
  'x-kubernetes-validations': [
    { rule: 'has(self.subject) || has(self.stream)', message: 'give a subject, a stream or both' },
    {
      rule: '!has(self.stream) || !has(self.queueGroup)',
      message: 'queueGroup is for subjects; of a stream the consumer is shared',
    },
    { rule: 'has(self.stream) || !has(self.consumer)', message: 'consumer goes with stream' },
    {
      rule: '!has(self.consumer) || !has(self.subject)',
      message: 'a consumer that is there has its own subjects: give consumer or subject',
    },
  ],
};
