import type { FieldSchema } from './field-schema.ts';
import { kinesisNameCharactersMax, urlCharactersMax } from './limits.ts';

/** Records of a stream of Kinesis, of all of its shards. */
export interface KinesisSource {
  readonly stream: string;
  readonly region: string;
  /** Where Kinesis answers. Default: where AWS has it in the region. */
  readonly endpoint?: string;
  /** Where a stream is begun that was not read before: `oldest`, `newest` or a time (RFC 3339). */
  readonly from: string;
  /** A Secret: aws_access_key_id, aws_secret_access_key and aws_session_token. */
  readonly secret: string;
}

export const kinesisSourceSchema: FieldSchema<KinesisSource> = {
  type: 'object',
  description:
    'Records of a stream of Amazon Kinesis Data Streams, of all of its shards, also of those that ' +
    'it is split or merged into. How far each was read is remembered once its events are kept ' +
    'here, so that none is lost. Records with the same partition key are delivered in their order.',
  properties: {
    stream: {
      type: 'string',
      description: 'Name of a stream.',
      minLength: 1,
      maxLength: kinesisNameCharactersMax,
      pattern: '^[a-zA-Z0-9_.-]+$',
      required: true,
    },
    region: {
      type: 'string',
      description: 'Region of AWS that it is in, such as eu-central-1.',
      maxLength: 64,
      pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
      required: true,
    },
    endpoint: {
      type: 'string',
      description:
        'Where Kinesis answers, such as https://kinesis.eu-central-1.amazonaws.com. Default is ' +
        'where AWS has it in the region.',
      maxLength: urlCharactersMax,
      pattern: '^https?://[^/?#@ ]+/?$',
    },
    from: {
      type: 'string',
      description:
        'Where a stream is begun that was not read before: newest for records that come from now ' +
        'on; oldest for all that it holds; or a time such as 2026-01-31T09:00:00Z. Default is ' +
        'newest.',
      maxLength: 40,
      pattern:
        '^(newest|oldest|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2}))$',
      default: 'newest',
    },
    secret: {
      type: 'string',
      description:
        'A Secret of the namespace with the keys of somebody who may read the stream: ' +
        'aws_access_key_id and aws_secret_access_key, for those that are lent also ' +
        'aws_session_token; or the same in upper case.',
      minLength: 1,
      maxLength: 253,
      required: true,
    },
  },
};
