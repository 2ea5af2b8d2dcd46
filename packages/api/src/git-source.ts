import type { FieldSchema } from './field-schema.ts';
import {
  gitReferenceCharactersMax,
  sourceDirectoryCharactersMax,
  sourceUrlCharactersMax,
} from './limits.ts';
import { type SecretReference, secretReferenceSchema } from './secret-reference.ts';

/** Code in a git repository. */
export interface GitSource {
  readonly url: string;
  /** Branch, tag or full commit. Default: the branch that the repository points to itself. */
  readonly reference?: string;
  /** Where in the repository the source is. Default: its root. */
  readonly directory?: string;
  readonly secretRef?: SecretReference;
  /** How often the repository is asked for a new commit; `0s` never. Default: 5m. */
  readonly interval?: string;
  readonly webhook?: GitWebhook;
}

/** How the server of the repository tells about pushes. */
export interface GitWebhook {
  readonly secretRef: WebhookSecretReference;
}

/** The Secret that signs webhooks, and the key in it. */
export interface WebhookSecretReference extends SecretReference {
  /** Default: token. */
  readonly key?: string;
}

/** How often a repository is asked, unless the Function says otherwise. */
export const defaultGitInterval = '5m';

export const directorySchema: FieldSchema<string> = {
  type: 'string',
  description:
    'The directory that holds the source, such as functions/hello, relative to the root. What is ' +
    'outside of it does not reach the function. Default is the root.',
  minLength: 1,
  maxLength: sourceDirectoryCharactersMax,
  'x-kubernetes-validations': [
    {
      rule: "!self.startsWith('/') && !self.split('/').exists(part, part == '..')",
      message: 'directory must be relative to the root of the source and must not contain ..',
    },
  ],
};

// As CEL writes regular expressions: a backslash is two. A user has no dash first, nor a host.
const host = String.raw`[A-Za-z0-9\\[][^/@\\s]*`;
const user = '[A-Za-z0-9][A-Za-z0-9._~-]*@';
const path = String.raw`[^\\s]+`;
const urlForms = [
  `https?://${host}/${path}`,
  `ssh://(${user})?${host}/${path}`,
  `${user}${host.replace('[^/@', '[^:/@')}:${path}`,
];

export const gitSourceSchema: FieldSchema<GitSource> = {
  type: 'object',
  description:
    'A git repository. Each commit of the reference gives a Revision; submodules are not fetched.',
  properties: {
    url: {
      type: 'string',
      description:
        'Where the repository is: https://host/path, http://host/path, ssh://user@host/path or ' +
        'user@host:path.',
      minLength: 1,
      maxLength: sourceUrlCharactersMax,
      required: true,
      'x-kubernetes-validations': [
        {
          rule: `self.matches('^(${urlForms.join('|')})$')`,
          message:
            'url must be https://host/path, http://host/path, ssh://user@host/path or ' +
            'user@host:path; credentials belong into a Secret (secretRef)',
        },
      ],
    },
    reference: {
      type: 'string',
      description:
        'A branch, a tag, or a commit as its 40 hexadecimal digits. A branch wins over a ' +
        'tag of the same name. Default is the branch that the repository points to itself.',
      minLength: 1,
      maxLength: gitReferenceCharactersMax,
      'x-kubernetes-validations': [
        {
          // git check-ref-format
          rule:
            "!self.startsWith('-') && !self.startsWith('/') && !self.contains('..') && " +
            "!self.contains('@{') && !self.matches('[\\\\s~^:?*\\\\[\\\\\\\\]')",
          message: 'reference must be the name of a branch or tag, or a full commit',
        },
      ],
    },
    directory: directorySchema,
    secretRef: secretReferenceSchema(
      'What the server asks for. Over HTTPS: username and password, or token. Over SSH: ' +
        'ssh-privatekey (or key), a password when the key has one, and known_hosts. Either way ' +
        'ca.crt for a server whose certificate an authority of your own has signed.',
    ),
    interval: {
      type: 'string',
      description:
        'How often the repository is asked for a new commit, such as 30s or 1h, at least 10s; 0s ' +
        'never. Default is 5m. With fnlet sync, or a webhook, it is asked at once.',
      maxLength: 32,
      pattern: '^([0-9]+([.][0-9]+)?(ms|s|m|h))+$',
      'x-kubernetes-validations': [
        {
          rule: "duration(self) == duration('0s') || duration(self) >= duration('10s')",
          message: 'interval must be at least 10s, or 0s to be asked on demand only',
        },
      ],
    },
    webhook: {
      type: 'object',
      description:
        'Lets the server of the repository tell about pushes, at ' +
        '/-/webhooks/<namespace>/<function> of the Gateway. GitHub, GitLab, Gitea and Forgejo ' +
        'are understood.',
      properties: {
        secretRef: {
          type: 'object',
          description: 'The Secret that the server signs with; without it nothing is believed.',
          properties: {
            name: {
              type: 'string',
              description: 'Name of the Secret. It must be in the namespace of the Function.',
              minLength: 1,
              maxLength: 253,
              required: true,
            },
            key: {
              type: 'string',
              description: 'The key in the Secret that holds it. Default is token.',
              minLength: 1,
              maxLength: 253,
            },
          },
          required: true,
        },
      },
    },
  },
};
