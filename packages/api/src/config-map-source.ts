import type { FieldSchema } from './field-schema.ts';
import { filesMax, sourceDirectoryCharactersMax } from './limits.ts';

/** Code in a ConfigMap of the Function's namespace. */
export interface ConfigMapSource {
  readonly name: string;
  /** Which keys become which files. Default: every key a file of its name. */
  readonly items?: readonly ConfigMapItem[];
}

/** One key as one file. */
export interface ConfigMapItem {
  readonly key: string;
  readonly path: string;
}

export const configMapSourceSchema: FieldSchema<ConfigMapSource> = {
  type: 'object',
  description: 'A ConfigMap whose keys are files. A change of it gives a new Revision.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the ConfigMap. It must be in the namespace of the Function.',
      minLength: 1,
      maxLength: 253,
      required: true,
    },
    items: {
      type: 'array',
      description:
        'The keys that are files, and where, such as key handler as src/handler.ts. Default is ' +
        'every key, as a file of its name.',
      items: {
        type: 'object',
        description: 'One key and its file.',
        properties: {
          key: {
            type: 'string',
            description: 'The key in the ConfigMap.',
            minLength: 1,
            maxLength: 253,
            required: true,
          },
          path: {
            type: 'string',
            description: 'Path of the file, relative to the root of the source.',
            minLength: 1,
            maxLength: sourceDirectoryCharactersMax,
            required: true,
          },
        },
      },
      maxItems: filesMax,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['path'],
    },
  },
};
