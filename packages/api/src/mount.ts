import type { FieldSchema } from './field-schema.ts';
import { mountItemsMax, mountsMax } from './limits.ts';

/** One key of a Secret or ConfigMap as a file. */
export interface MountItem {
  readonly key: string;
  /** Relative to the directory of the mount. */
  readonly path: string;
  readonly mode?: number;
}

/** A Secret or ConfigMap as a directory of files, which follow its changes. */
export interface Mount {
  /** Name of the Secret; else `configMap` is there. */
  readonly secret?: string;
  readonly configMap?: string;
  /** The directory, as the function sees it. */
  readonly path: string;
  /** Default: all keys, as files of their name. */
  readonly items?: readonly MountItem[];
  readonly optional?: boolean;
  readonly defaultMode?: number;
}

const mode: FieldSchema<number> = {
  type: 'integer',
  format: 'int32',
  description: 'Permissions of the file, from 0 to 0777 (511).',
  minimum: 0,
  maximum: 511,
};

function objectName(kind: string): FieldSchema<string> {
  return {
    type: 'string',
    description: `Name of the ${kind}. It must be in the namespace of the Function.`,
    minLength: 1,
    maxLength: 253,
    pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$',
  };
}

const itemSchema: FieldSchema<MountItem> = {
  type: 'object',
  description: 'One key as a file.',
  properties: {
    key: {
      type: 'string',
      description: 'The key whose value is taken.',
      minLength: 1,
      maxLength: 253,
      required: true,
    },
    path: {
      type: 'string',
      description: 'The file, relative to the directory of the mount.',
      minLength: 1,
      maxLength: 256,
      required: true,
      'x-kubernetes-validations': [
        {
          rule: "!self.startsWith('/') && !self.split('/').exists(name, name in ['', '.', '..'])",
          message: "the path of an item must be relative, and go neither through '.' nor '..'",
        },
      ],
    },
    mode,
  },
};

export const mountsSchema: FieldSchema<readonly Mount[]> = {
  type: 'array',
  description:
    'Secrets and ConfigMaps as directories of files. A change of their data shows in a running ' +
    'function, without a new Revision.',
  items: {
    type: 'object',
    description: 'One Secret or ConfigMap, and where its files are.',
    properties: {
      secret: objectName('Secret'),
      configMap: objectName('ConfigMap'),
      path: {
        type: 'string',
        description:
          'The directory in which the function finds the files, such as /etc/settings. It takes ' +
          'the place of what is there.',
        minLength: 2,
        maxLength: 256,
        required: true,
        'x-kubernetes-validations': [
          {
            rule: "self.startsWith('/') && !self.substring(1).split('/').exists(name, name in ['', '.', '..'])",
            message: "a mount path must begin with '/', and go neither through '.' nor '..'",
          },
          {
            rule: "!self.matches('^/(dev|proc|sys)(/|$)')",
            message: 'a mount path must not be in /dev, /proc or /sys: the system needs them',
          },
        ],
      },
      items: {
        type: 'array',
        description: 'The keys that become files. Default: all keys, as files of their name.',
        items: itemSchema,
        maxItems: mountItemsMax,
        'x-kubernetes-list-type': 'atomic',
      },
      optional: {
        type: 'boolean',
        description:
          'Whether the function may start without it, with a directory that is empty until it is ' +
          'there. When false, the Function waits until the object (and keys) exist.',
      },
      defaultMode: {
        ...mode,
        description: 'Permissions of files without a mode of their own. Default is 0644 (420).',
      },
    },
    'x-kubernetes-validations': [
      {
        rule: 'has(self.secret) != has(self.configMap)',
        message: 'give exactly one of secret and configMap',
      },
    ],
  },
  maxItems: mountsMax,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['path'],
  'x-kubernetes-validations': [
    {
      rule: "self.all(outer, !self.exists(inner, inner.path.startsWith(outer.path + '/')))",
      message: 'a mount path must not be inside another: choose directories beside each other',
    },
  ],
};
