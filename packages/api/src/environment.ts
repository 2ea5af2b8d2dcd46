import type { FieldSchema } from './field-schema.ts';
import { envFromMax, envMax, envValueCharactersMax } from './limits.ts';
import type { QuantityText } from './resources.ts';

/** One key of a Secret or ConfigMap in the Function's namespace. */
export interface KeyReference {
  readonly name: string;
  readonly key: string;
  readonly optional?: boolean;
}

/** A field of the Pod that shows an Instance. */
export interface FieldReference {
  /** What the path is a path of; means nothing more. */
  readonly apiVersion?: string;
  readonly fieldPath: string;
}

/** A request or limit of the Instance, in units of the divisor. */
export interface ResourceReference {
  readonly resource: string;
  readonly divisor?: QuantityText;
  readonly containerName?: string;
}

/** Where the value of a variable comes from; exactly one of the fields is there. */
export interface EnvValueSource {
  readonly secretKeyRef?: KeyReference;
  readonly configMapKeyRef?: KeyReference;
  readonly fieldRef?: FieldReference;
  readonly resourceFieldRef?: ResourceReference;
}

/** One environment variable of the function. */
export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: EnvValueSource;
}

/** A Secret or ConfigMap in the Function's namespace. */
export interface ObjectReference {
  readonly name: string;
  readonly optional?: boolean;
}

/** All keys of one Secret or ConfigMap as environment variables. */
export interface EnvFromSource {
  readonly prefix?: string;
  readonly secretRef?: ObjectReference;
  readonly configMapRef?: ObjectReference;
}

// KEP-4369: any printable ASCII character but the equals sign.
const envNamePattern = '^[ -<>-~]+$';

// What the downward API of a Pod gives (core/v1), but for what is only known once a Pod is written.
const fieldPathPattern = [
  '^metadata[.](name|namespace)$',
  "^metadata[.](labels|annotations)[[]'[^']+'\\\\]$",
  '^spec[.](nodeName|serviceAccountName)$',
  '^status[.](hostIP|podIP)s?$',
].join('|');

const name: FieldSchema<string> & { readonly required: true } = {
  type: 'string',
  description: 'Name of the object. It must be in the namespace of the Function.',
  minLength: 1,
  maxLength: 253,
  required: true,
};

const optional: FieldSchema<boolean> = {
  type: 'boolean',
  description:
    'Whether the function may start without it. When false, the Function waits until the ' +
    'object (and key) exists.',
};

function keyReference(kind: string): FieldSchema<KeyReference> {
  return {
    type: 'object',
    description: `One key of a ${kind}. A change of its value gives a new Revision.`,
    properties: {
      name,
      key: {
        type: 'string',
        description: `The key in the ${kind} whose value is taken.`,
        minLength: 1,
        maxLength: 253,
        required: true,
      },
      optional,
    },
  };
}

function objectReference(kind: string): FieldSchema<ObjectReference> {
  return {
    type: 'object',
    description: `A ${kind} whose keys all become environment variables.`,
    properties: { name, optional },
  };
}

const fieldRef: FieldSchema<FieldReference> = {
  type: 'object',
  description: 'A field of the Pod that shows the Instance (core/v1 ObjectFieldSelector).',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Version of the schema that the path is written for: v1, as Pods show it.',
      maxLength: 64,
      'x-kubernetes-validations': [
        { rule: "self == 'v1'", message: 'expected v1: fields are those of a Pod' },
      ],
    },
    fieldPath: {
      type: 'string',
      description:
        "The field: metadata.name, metadata.namespace, metadata.labels['<key>'], " +
        "metadata.annotations['<key>'], spec.nodeName, spec.serviceAccountName, status.hostIP, " +
        'status.hostIPs, status.podIP or status.podIPs.',
      minLength: 1,
      maxLength: 400,
      required: true,
      'x-kubernetes-validations': [
        {
          rule: `self.matches("${fieldPathPattern}")`,
          message:
            'this field is not known when an Instance starts: expected one of metadata.name, ' +
            "metadata.namespace, metadata.labels['<key>'], metadata.annotations['<key>'], " +
            'spec.nodeName, spec.serviceAccountName, status.hostIP(s), status.podIP(s)',
        },
      ],
    },
  },
};

const resourceFieldRef: FieldSchema<ResourceReference> = {
  type: 'object',
  description:
    'A request or limit of the Instance (core/v1 ResourceFieldSelector). A limit that is not set ' +
    'is what the machine has.',
  properties: {
    resource: {
      type: 'string',
      description: 'Which one.',
      maxLength: 64,
      required: true,
      pattern: '^(limits|requests)[.](cpu|memory)$',
    },
    divisor: {
      'x-kubernetes-int-or-string': true,
      description: 'The unit, such as 1m or 1Mi; the number is rounded up. Default is 1.',
      maxLength: 32,
      pattern: '^[0-9]+([.][0-9]+)?([munkMGTPE]|[KMGTPE]i)?$',
    },
    containerName: {
      type: 'string',
      description: 'Taken for the sake of manifests that have it; there is one container.',
      maxLength: 63,
    },
  },
};

const envVarSchema: FieldSchema<EnvVar> = {
  type: 'object',
  description: 'One environment variable.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the variable: printable ASCII characters without the equals sign.',
      minLength: 1,
      maxLength: 256,
      pattern: envNamePattern,
      required: true,
    },
    value: {
      type: 'string',
      description: 'The value, taken as it is: $(OTHER) is not expanded. Default is empty.',
      maxLength: envValueCharactersMax,
    },
    valueFrom: {
      type: 'object',
      description: 'Where the value comes from, instead of `value`.',
      properties: {
        secretKeyRef: keyReference('Secret'),
        configMapKeyRef: keyReference('ConfigMap'),
        fieldRef,
        resourceFieldRef,
      },
      'x-kubernetes-validations': [
        {
          rule:
            '[has(self.secretKeyRef), has(self.configMapKeyRef), has(self.fieldRef), ' +
            'has(self.resourceFieldRef)].filter(given, given).size() == 1',
          message:
            'give exactly one of secretKeyRef, configMapKeyRef, fieldRef and resourceFieldRef ' +
            '(a function has no volume that a fileKeyRef could name)',
        },
      ],
    },
  },
  'x-kubernetes-validations': [
    {
      rule: '!(has(self.value) && has(self.valueFrom))',
      message: 'give either value or valueFrom, not both',
    },
  ],
};

export const envSchema: FieldSchema<readonly EnvVar[]> = {
  type: 'array',
  description:
    'Environment variables of the function, which sees these and no others. They win over ' +
    'variables of the same name from `envFrom`.',
  items: envVarSchema,
  maxItems: envMax,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
};

export const envFromSchema: FieldSchema<readonly EnvFromSource[]> = {
  type: 'array',
  description:
    'Secrets and ConfigMaps whose keys all become environment variables. Where two have the ' +
    'same key, the later one wins. A change of their data gives a new Revision.',
  items: {
    type: 'object',
    description: 'One Secret or ConfigMap.',
    properties: {
      prefix: {
        type: 'string',
        description: 'Text put before every key.',
        maxLength: 256,
        pattern: '^[ -<>-~]*$',
      },
      secretRef: objectReference('Secret'),
      configMapRef: objectReference('ConfigMap'),
    },
    'x-kubernetes-validations': [
      {
        rule: 'has(self.secretRef) != has(self.configMapRef)',
        message: 'give exactly one of secretRef and configMapRef',
      },
    ],
  },
  maxItems: envFromMax,
  'x-kubernetes-list-type': 'atomic',
};
