import type { FieldSchema } from './field-schema.ts';
import { directorySchema } from './git-source.ts';
import { archiveDataCharactersMax, sourceUrlCharactersMax } from './limits.ts';
import { type SecretReference, secretReferenceSchema } from './secret-reference.ts';

/** Code in an archive; one of `url` and `data` is there. */
export interface ArchiveSource {
  readonly url?: string;
  /** The archive itself in base64. */
  readonly data?: string;
  /** Digest of the archive in hex, with or without `sha256:`. */
  readonly sha256?: string;
  /** Where in the archive the source is. Default: its root. */
  readonly directory?: string;
  readonly secretRef?: SecretReference;
}

export const archiveSourceSchema: FieldSchema<ArchiveSource> = {
  type: 'object',
  description:
    'An archive: zip, tar, tar.gz, tar.bz2 or tar.xz; which one is seen from its first bytes.',
  properties: {
    url: {
      type: 'string',
      description: 'Where it is fetched from, over HTTPS or HTTP.',
      minLength: 1,
      maxLength: sourceUrlCharactersMax,
      'x-kubernetes-validations': [
        {
          rule: "self.matches('^https?://[^/@\\\\s]+(/[^\\\\s]*)?$')",
          message:
            'url must be https://host/path or http://host/path; credentials belong into a ' +
            'Secret (secretRef)',
        },
      ],
    },
    data: {
      type: 'string',
      description: 'The archive itself in base64, for small ones; instead of `url`.',
      format: 'byte',
      minLength: 1,
      maxLength: archiveDataCharactersMax,
    },
    sha256: {
      type: 'string',
      description:
        'Digest of the archive: 64 hexadecimal digits, also with sha256: before them. What has ' +
        'another one is refused. Without it, what is found first is kept until the next fnlet sync.',
      maxLength: 71,
      pattern: '^(sha256:)?[0-9a-fA-F]{64}$',
    },
    directory: directorySchema,
    secretRef: secretReferenceSchema(
      'What the server asks for: username and password, or token; every key that starts with ' +
        'header. is a header (header.X-Api-Key). ca.crt is for a server whose certificate an ' +
        'authority of your own has signed.',
    ),
  },
  'x-kubernetes-validations': [
    {
      rule: 'has(self.url) != has(self.data)',
      message: 'give exactly one of url and data',
    },
    {
      rule: '!has(self.secretRef) || has(self.url)',
      message: 'secretRef is for fetching the archive: give url, or leave it out',
    },
  ],
};
