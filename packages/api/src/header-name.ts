import type { FieldSchema } from './field-schema.ts';

/** The name of a header. */
export function headerName(description: string): FieldSchema<string> {
  return {
    type: 'string',
    description,
    minLength: 1,
    maxLength: 64,
    pattern: '^[A-Za-z0-9-]+$',
  };
}

/** The name of a header that the Gateway is to write for the function. */
export function writtenHeaderName(description: string): FieldSchema<string> {
  return {
    type: 'string',
    description,
    minLength: 1,
    maxLength: 64,
    pattern: '^[A-Za-z0-9-]+$',
    'x-kubernetes-validations': [
      {
        rule: `!self.matches('^(?i)(${reserved.join('|')})$')`,
        message:
          'header must not be one that frames a message, says where it goes, or is written by ' +
          'Fnlet: choose a name of your own, such as X-User-Email',
      },
    ],
  };
}

/** Headers that mean something on the way, as regular expressions. */
const reserved: readonly string[] = [
  'connection',
  'content-.*',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'prefer',
  'proxy-.*',
  'te',
  'trailer',
  'traceparent',
  'tracestate',
  'transfer-encoding',
  'upgrade',
  'x-fnlet-.*',
  'x-forwarded-.*',
  'x-request-id',
];
