import type { FieldSchema } from './field-schema.ts';

/** What ties calls to one Instance; exactly one field is there. */
export interface FunctionAffinity {
  readonly cookie?: string;
  readonly header?: string;
}

// A token (RFC 9110 §5.6.2), as names of cookies and of header fields are.
const tokenPattern = "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$";

export const affinitySchema: FieldSchema<FunctionAffinity> = {
  type: 'object',
  description:
    'Calls that belong together go to the same Instance, as long as it is there and has room: for ' +
    'what an Instance keeps in memory. It is no promise: Instances come and go, and then such ' +
    'calls find another one.',
  properties: {
    cookie: {
      type: 'string',
      description:
        'Calls with the same value of this cookie belong together. A caller without one is given ' +
        'one, unless the function sets it itself.',
      minLength: 1,
      maxLength: 128,
      pattern: tokenPattern,
    },
    header: {
      type: 'string',
      description:
        'Calls with the same value of this header belong together. Those without it go anywhere.',
      minLength: 1,
      maxLength: 128,
      pattern: tokenPattern,
    },
  },
  'x-kubernetes-validations': [
    {
      rule: 'has(self.cookie) != has(self.header)',
      message: 'affinity is by cookie or by header: give exactly one of them',
    },
  ],
};
