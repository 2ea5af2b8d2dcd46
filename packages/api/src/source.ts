import { type ArchiveSource, archiveSourceSchema } from './archive-source.ts';
import { type ConfigMapSource, configMapSourceSchema } from './config-map-source.ts';
import type { FieldSchema } from './field-schema.ts';
import { type GitSource, gitSourceSchema } from './git-source.ts';
import { filesMax, sourceCharactersMax } from './limits.ts';

/** The code of a Function; exactly one of the fields is there. */
export interface FunctionSource {
  readonly inline?: string;
  /** Text by path relative to the root of the source. */
  readonly files?: Readonly<Record<string, string>>;
  readonly configMap?: ConfigMapSource;
  readonly archive?: ArchiveSource;
  /** Digest of an archive that was uploaded, such as `sha256:2c26…`. */
  readonly artifact?: string;
  readonly git?: GitSource;
}

const kinds = ['inline', 'files', 'configMap', 'archive', 'artifact', 'git'] as const;

export const sourceSchema: FieldSchema<FunctionSource> = {
  type: 'object',
  description:
    'The code. Give exactly one of `inline` (one module as text), `files` (several), ' +
    '`configMap`, `archive`, `artifact` (what fnlet deploy uploads) and `git`. It reaches the ' +
    'function byte for byte: nothing in it is expanded or escaped.',
  properties: {
    inline: {
      type: 'string',
      description:
        'One module as text: for Node.js in TypeScript or JavaScript, as an ES module or CommonJS, ' +
        'stored as handler.ts; for Python stored as handler.py; for a runtime that was added, ' +
        'stored as its Runtime says. Error messages name this file.',
      minLength: 1,
      maxLength: sourceCharactersMax,
    },
    files: {
      type: 'object',
      description:
        'Text of each file by its path, such as src/index.ts. Paths are relative, use forward ' +
        'slashes and stay within the source. For Node.js the function starts from the `main` of ' +
        'package.json when there is one, else from handler, index or main (.ts, .mts, .cts, .js, ' +
        '.mjs, .cjs); for Python from handler.py or main.py.',
      additionalProperties: {
        type: 'string',
        description: 'Text of the file.',
        maxLength: sourceCharactersMax,
      },
      minProperties: 1,
      maxProperties: filesMax,
    },
    configMap: configMapSourceSchema,
    archive: archiveSourceSchema,
    artifact: {
      type: 'string',
      description:
        'Digest of an archive that was uploaded to Fnlet before, such as sha256:2c26…, as fnlet ' +
        'deploy does for directories that do not fit into one object.',
      maxLength: 71,
      pattern: '^sha256:[0-9a-f]{64}$',
    },
    git: gitSourceSchema,
  },
  'x-kubernetes-validations': [
    {
      rule: `[${kinds.map((kind) => `has(self.${kind})`).join(', ')}].filter(given, given).size() == 1`,
      message:
        `give exactly one source of ${kinds.join(', ')}; to put one in place of another use ` +
        'kubectl replace, or set the old one to null in kubectl apply',
    },
  ],
};
