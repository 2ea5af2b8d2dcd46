import type { FieldSchema } from '../field-schema.ts';

/** One key of a ConfigMap or Secret (core/v1 ConfigMapKeySelector, SecretKeySelector). */
export interface KymaKeySelector {
  readonly name: string;
  readonly key: string;
  readonly optional?: boolean;
}

/** Where the value of a variable comes from (core/v1 EnvVarSource). */
export interface KymaEnvVarSource {
  readonly configMapKeyRef?: KymaKeySelector;
  readonly secretKeyRef?: KymaKeySelector;
  readonly fieldRef?: { readonly apiVersion?: string; readonly fieldPath: string };
  readonly resourceFieldRef?: {
    readonly containerName?: string;
    readonly divisor?: string | number;
    readonly resource: string;
  };
  readonly fileKeyRef?: {
    readonly volumeName: string;
    readonly path: string;
    readonly key: string;
    readonly optional?: boolean;
  };
}

/** One variable of a Kyma Function (core/v1 EnvVar). */
export interface KymaEnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: KymaEnvVarSource;
}

/** Names that Kyma keeps for itself. */
const reservedNames = [
  'FUNC_RUNTIME',
  'FUNC_HANDLER',
  'FUNC_PORT',
  'FUNC_HANDLER_SOURCE',
  'FUNC_HANDLER_DEPENDENCIES',
  'MOD_NAME',
  'NODE_PATH',
  'PYTHONPATH',
];

const reservedList = `[${reservedNames.map((name) => `'${name}'`).join(',')}]`;

function keySelector(kind: string): FieldSchema<KymaKeySelector> {
  return {
    type: 'object',
    description: `One key of a ${kind} in the namespace of the Function.`,
    properties: {
      name: { type: 'string', description: `Name of the ${kind}.`, default: '' },
      key: { type: 'string', description: 'The key whose value is taken.', required: true },
      optional: { type: 'boolean', description: 'Whether object and key may be missing.' },
    },
  };
}

const sourceSchema: FieldSchema<KymaEnvVarSource> = {
  type: 'object',
  description: 'Where the value comes from, instead of `value`.',
  properties: {
    configMapKeyRef: keySelector('ConfigMap'),
    secretKeyRef: keySelector('Secret'),
    fieldRef: {
      type: 'object',
      description: 'A field of the Pod.',
      properties: {
        apiVersion: { type: 'string', description: 'Version of the path. Default is v1.' },
        fieldPath: {
          type: 'string',
          description: 'Path of the field, such as metadata.name.',
          required: true,
        },
      },
    },
    resourceFieldRef: {
      type: 'object',
      description: 'A limit or request of the container.',
      properties: {
        containerName: { type: 'string', description: 'Name of the container.' },
        divisor: {
          'x-kubernetes-int-or-string': true,
          description: 'The unit of the value. Default is 1.',
        },
        resource: {
          type: 'string',
          description: 'Which one, such as limits.memory.',
          required: true,
        },
      },
    },
    fileKeyRef: {
      type: 'object',
      description: 'One variable of a file in a volume of the Pod.',
      properties: {
        volumeName: { type: 'string', description: 'Name of the volume.', required: true },
        path: { type: 'string', description: 'Path of the file in it.', required: true },
        key: { type: 'string', description: 'Name of the variable in it.', required: true },
        optional: { type: 'boolean', description: 'Whether file and variable may be missing.' },
      },
    },
  },
};

export const kymaEnvSchema: FieldSchema<readonly KymaEnvVar[]> = {
  type: 'array',
  description:
    'Environment variables of the function. Of two with the same name the later one holds.',
  items: {
    type: 'object',
    description: 'One environment variable.',
    properties: {
      name: { type: 'string', description: 'Name of the variable.', required: true },
      value: { type: 'string', description: 'The value. Default is empty.' },
      valueFrom: sourceSchema,
    },
  },
  'x-kubernetes-validations': [
    {
      rule: `(self.all(e, !(e.name in ${reservedList})))`,
      message: `Following envs are reserved and cannot be used: ${reservedList}`,
    },
  ],
};
