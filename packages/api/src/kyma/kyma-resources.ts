import type { FieldSchema } from '../field-schema.ts';

/** Quantities by resource, such as `{cpu: 100m, memory: 128Mi}`. */
export type KymaQuantities = Readonly<Record<string, string | number>>;

/** Bounds of the container (core/v1 ResourceRequirements). */
export interface KymaRequirements {
  readonly limits?: KymaQuantities;
  readonly requests?: KymaQuantities;
  readonly claims?: readonly { readonly name: string; readonly request?: string }[];
}

/** A preset by its name, or bounds of one's own. */
export interface KymaResources {
  readonly profile?: string;
  readonly resources?: KymaRequirements;
}

export interface KymaResourceConfiguration {
  readonly function?: KymaResources;
  readonly build?: KymaResources;
}

// resource.Quantity, as controller-gen writes it.
const number = '(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))';
const quantityPattern = `^(\\+|-)?${number}(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?${number}))?$`;

function quantities(description: string): FieldSchema<KymaQuantities> {
  return {
    type: 'object',
    description,
    additionalProperties: {
      'x-kubernetes-int-or-string': true,
      description: 'A quantity, such as 100m or 128Mi.',
      pattern: quantityPattern,
    },
  };
}

export const kymaRequirementsProperties: Extract<
  FieldSchema<KymaRequirements>,
  { readonly properties: unknown }
>['properties'] = {
  limits: quantities('The most that an Instance may use.'),
  requests: quantities('What an Instance is sure to get.'),
  claims: {
    type: 'array',
    description: 'Dynamic resources. They have no effect.',
    items: {
      type: 'object',
      description: 'One of them.',
      properties: {
        name: { type: 'string', description: 'Name of the claim of the Pod.', required: true },
        request: { type: 'string', description: 'Name of the request in it.' },
      },
    },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  },
};

function resources(description: string, profiles: readonly string[]): FieldSchema<KymaResources> {
  const names = `[${profiles.map((name) => `'${name}'`).join(',')}]`;
  return {
    type: 'object',
    description,
    properties: {
      profile: { type: 'string', description: `A preset: ${profiles.join(', ')}.` },
      resources: {
        type: 'object',
        description: 'Bounds of their own, instead of a preset.',
        properties: kymaRequirementsProperties,
      },
    },
    'x-kubernetes-validations': [
      {
        rule: 'has(self.profile) && !has(self.resources) || !has(self.profile) && has(self.resources)',
        message: 'Use profile or resources',
      },
      {
        rule: `(!has(self.profile) || self.profile in ${names})`,
        message: `Invalid profile, please use one of: ${names}`,
      },
    ],
  };
}

export const kymaResourceConfigurationSchema: FieldSchema<KymaResourceConfiguration> = {
  type: 'object',
  description: 'How much of the machine an Instance may use.',
  properties: {
    function: resources('Of an Instance of the function. Default is the preset L.', [
      'XS',
      'S',
      'M',
      'L',
      'XL',
    ]),
    build: resources('Of image builds, which there are no more. It has no effect.', [
      'local-dev',
      'slow',
      'normal',
      'fast',
    ]),
  },
};
