import type { FieldSchema } from './field-schema.ts';
import { kafkaNameCharactersMax, kafkaServersMax, kafkaTopicsMax } from './limits.ts';

/** Records of topics of Kafka, as a member of a consumer group. */
export interface KafkaSource {
  readonly servers: readonly string[];
  readonly topics: readonly string[];
  /** Default: one of the Trigger. */
  readonly consumerGroup?: string;
  /** Where a group begins that has read nothing yet. */
  readonly from: KafkaStart;
  /** How the user and the password of the Secret are proved. */
  readonly sasl?: KafkaSasl;
  /** Whether the brokers are talked to over TLS. Default: with ca.crt or tls.crt in the Secret. */
  readonly tls?: boolean;
  /** A Secret: user and password; ca.crt, tls.crt and tls.key. */
  readonly secret?: string;
}

export type KafkaStart = 'oldest' | 'newest';

export type KafkaSasl = 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512';

export const kafkaSourceSchema: FieldSchema<KafkaSource> = {
  type: 'object',
  description:
    'Records of topics of Kafka. Their offsets are committed once they are kept here, so that ' +
    'none is lost. Records with the same key are delivered in their order.',
  properties: {
    servers: {
      type: 'array',
      description: 'Brokers to begin with, such as kafka:9092.',
      items: {
        type: 'string',
        description: 'Host and port of a broker; clients learn the others from it.',
        minLength: 1,
        maxLength: 262,
        pattern: '^[^:/?#@ ]+:[0-9]{1,5}$',
      },
      minItems: 1,
      maxItems: kafkaServersMax,
      required: true,
    },
    topics: {
      type: 'array',
      description: 'Names of topics.',
      items: {
        type: 'string',
        description: 'Name of a topic.',
        minLength: 1,
        maxLength: kafkaNameCharactersMax,
        pattern: '^[a-zA-Z0-9._-]+$',
      },
      minItems: 1,
      maxItems: kafkaTopicsMax,
      required: true,
    },
    consumerGroup: {
      type: 'string',
      description:
        'Members of a group share the partitions. Default is fnlet- and the uid of the Trigger.',
      minLength: 1,
      maxLength: kafkaNameCharactersMax,
    },
    from: {
      type: 'string',
      description: 'Where a group begins that has read nothing yet: oldest or newest.',
      enum: ['oldest', 'newest'],
      default: 'newest',
    },
    sasl: {
      type: 'string',
      description: 'How the user and the password of the Secret are proved.',
      enum: ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'],
    },
    tls: {
      type: 'boolean',
      description:
        'Whether the brokers are talked to over TLS. Default is that they are when the Secret ' +
        'has ca.crt or tls.crt.',
    },
    secret: {
      type: 'string',
      description:
        'A Secret of the namespace: user and password for sasl; with ca.crt the certificates of ' +
        'the brokers are checked by it; tls.crt and tls.key are the certificate of Fnlet.',
      minLength: 1,
      maxLength: 253,
    },
  },
  'x-kubernetes-validations': [
    {
      rule: '!has(self.sasl) || has(self.secret)',
      message: 'sasl needs a secret with user and password',
    },
  ],
};
