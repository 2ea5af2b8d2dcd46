import type { FieldSchema } from './field-schema.ts';
import { filesMax, sourceCharactersMax } from './limits.ts';

/** The code of a Function; exactly one of the fields is there. */
export interface FunctionSource {
  readonly inline?: string;
  /** Text by path relative to the root of the source. */
  readonly files?: Readonly<Record<string, string>>;
}

export const sourceSchema: FieldSchema<FunctionSource> = {
  type: 'object',
  description:
    'The code. Give exactly one of `inline` (one module as text) and `files` (several). It ' +
    'reaches the function byte for byte: nothing in it is expanded or escaped.',
  properties: {
    inline: {
      type: 'string',
      description:
        'One module as text, in TypeScript or JavaScript, as an ES module or CommonJS. It is ' +
        'stored as handler.ts; error messages name this file.',
      minLength: 1,
      maxLength: sourceCharactersMax,
    },
    files: {
      type: 'object',
      description:
        'Text of each file by its path, such as src/index.ts. Paths are relative, use forward ' +
        'slashes and stay within the source. The function starts from the `main` of package.json ' +
        'when there is one, else from handler, index or main (.ts, .mts, .cts, .js, .mjs, .cjs).',
      additionalProperties: {
        type: 'string',
        description: 'Text of the file.',
        maxLength: sourceCharactersMax,
      },
      minProperties: 1,
      maxProperties: filesMax,
    },
  },
  'x-kubernetes-validations': [
    {
      rule: 'has(self.inline) != has(self.files)',
      message:
        'give exactly one source: either inline (one module as text) or files; to put one in ' +
        'place of the other use kubectl replace, or set the old one to null in kubectl apply',
    },
  ],
};
