import type { FieldSchema } from '../field-schema.ts';

/** Who asks for a git repository. */
export interface KymaGitAuth {
  readonly type: 'basic' | 'key';
  readonly secretName: string;
}

export interface KymaGitRepository {
  readonly url: string;
  readonly baseDir?: string;
  readonly reference?: string;
  readonly auth?: KymaGitAuth;
}

export interface KymaInlineSource {
  readonly source: string;
  readonly dependencies?: string;
}

/** The code of a Kyma Function; exactly one of the fields is there. */
export interface KymaSource {
  readonly inline?: KymaInlineSource;
  readonly gitRepository?: KymaGitRepository;
}

export const kymaGitRepositorySchema: FieldSchema<KymaGitRepository> = {
  type: 'object',
  description: 'The code as a directory of a git repository.',
  properties: {
    url: { type: 'string', description: 'Address of the repository.', required: true },
    baseDir: { type: 'string', description: 'Directory of the function in it.' },
    reference: { type: 'string', description: 'A branch, a tag or a commit.' },
    auth: {
      type: 'object',
      description: 'How to log in.',
      properties: {
        type: {
          type: 'string',
          description: 'By user name and password (basic), or by an SSH key (key).',
          enum: ['basic', 'key'],
          required: true,
        },
        secretName: {
          type: 'string',
          description: 'The Secret that holds it, in the namespace of the Function.',
          required: true,
          'x-kubernetes-validations': [
            {
              rule: 'self.trim().size() != 0',
              message: 'SecretName is required and cannot be empty',
            },
          ],
        },
      },
    },
  },
  'x-kubernetes-validations': [
    {
      rule: 'has(self.baseDir) && (self.baseDir.trim().size() != 0)',
      message: 'BaseDir is required and cannot be empty',
    },
    {
      rule: 'has(self.reference) && (self.reference.trim().size() != 0)',
      message: 'Reference is required and cannot be empty',
    },
  ],
};

export const kymaSourceSchema: FieldSchema<KymaSource> = {
  type: 'object',
  description: 'The code: either inline or from a git repository.',
  properties: {
    inline: {
      type: 'object',
      description: 'The code as text.',
      properties: {
        source: {
          type: 'string',
          description: 'Text of the one module.',
          minLength: 1,
          required: true,
        },
        dependencies: {
          type: 'string',
          description: 'Text of its package.json or requirements.txt.',
        },
      },
    },
    gitRepository: kymaGitRepositorySchema,
  },
  'x-kubernetes-validations': [
    {
      rule:
        'has(self.gitRepository) && !has(self.inline) || ' +
        '!has(self.gitRepository) && has(self.inline)',
      message: 'Use GitRepository or Inline source',
    },
  ],
};
