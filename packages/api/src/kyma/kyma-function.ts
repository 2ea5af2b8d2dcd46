/** The kind Function of Kyma, as manifests written for it need it (decision 026). */
import { isJsonObject } from '@fnlet/base';
import {
  type Condition,
  type CustomResourceDefinition,
  formatApiVersion,
  parseApiVersion,
  type ResourceType,
} from '@fnlet/machinery';
import type { FieldSchema } from '../field-schema.ts';
import {
  customResourceDefinition,
  type KindDefinition,
  type KindObject,
  objectParser,
  resourceTypeOf,
} from '../kind-definition.ts';
import { conditionsSchema, observedGenerationSchema } from '../status-schema.ts';
import { type KymaEnvVar, kymaEnvSchema } from './kyma-environment.ts';
import {
  type KymaResourceConfiguration,
  kymaResourceConfigurationSchema,
} from './kyma-resources.ts';
import {
  type KymaContainerSecurityContext,
  type KymaPodSecurityContext,
  kymaContainerSecurityContextSchema,
  kymaPodSecurityContextSchema,
} from './kyma-security.ts';
import { readSketch, withSketch } from './kyma-sketch.ts';
import { type KymaSource, kymaSourceSchema } from './kyma-source.ts';

/**
 * The runtimes that manifests name: those of Kyma today, those that it has documented, and those
 * that it has retired and refuses.
 */
const kymaRuntimes = [
  'nodejs20',
  'nodejs22',
  'nodejs24',
  'python312',
  'nodejs26',
  'python314',
  'nodejs6',
  'nodejs8',
  'nodejs10',
  'nodejs12',
  'nodejs14',
  'nodejs16',
  'nodejs18',
  'python38',
  'python39',
] as const;

/** A Secret as files. */
export interface KymaSecretMount {
  readonly secretName: string;
  readonly mountPath: string;
}

type Texts = Readonly<Record<string, string>>;

/** What a user asks for. */
export interface KymaFunctionSpec {
  readonly runtime: (typeof kymaRuntimes)[number];
  readonly runtimeImageOverride?: string;
  readonly source: KymaSource;
  readonly env?: readonly KymaEnvVar[];
  readonly resourceConfiguration?: KymaResourceConfiguration;
  readonly scaleConfig?: { readonly minReplicas: number; readonly maxReplicas: number };
  readonly replicas: number;
  readonly template?: { readonly labels?: Texts; readonly annotations?: Texts };
  readonly secretMounts?: readonly KymaSecretMount[];
  readonly labels?: Texts;
  readonly annotations?: Texts;
  readonly podSecurityContext?: KymaPodSecurityContext;
  readonly containerSecurityContext?: KymaContainerSecurityContext;
}

/** What became of it. */
export interface KymaFunctionStatus {
  readonly observedGeneration?: number;
  readonly runtime?: string;
  readonly runtimeImage?: string;
  readonly replicas?: number;
  readonly podSelector?: string;
  readonly functionResourceProfile?: string;
  readonly functionAnnotations?: Texts;
  readonly commit?: string;
  readonly baseDir?: string;
  readonly reference?: string;
  readonly gitRepository?: {
    readonly url: string;
    readonly baseDir?: string;
    readonly reference?: string;
    readonly commit?: string;
  };
  readonly conditions?: readonly Condition[];
}

/** A Kyma Function as the API gives it: defaults are filled in. */
export type KymaFunctionObject = KindObject<KymaFunctionSpec, KymaFunctionStatus>;

const reservedPrefix = 'serverless.kyma-project.io/';

const text = (description: string): FieldSchema<string> => ({ type: 'string', description });

const count = (description: string): FieldSchema<number> & { readonly required: true } => {
  return { type: 'integer', format: 'int32', minimum: 1, description, required: true };
};

const texts = (description: string): FieldSchema<Texts> => {
  return { type: 'object', description, additionalProperties: text('The value.') };
};

export const kymaLabelsSchema: FieldSchema<Texts> = {
  ...texts('Labels of the Pods of the function.'),
  type: 'object',
  additionalProperties: text('The value.'),
  'x-kubernetes-validations': [
    {
      rule: `!(self.exists(e, e.startsWith('${reservedPrefix}')))`,
      message: `Labels has key starting with ${reservedPrefix} which is not allowed`,
    },
    // Kyma's message speaks of values; its rule, and so this one, is about keys.
    { rule: 'self.all(e, size(e)<64)', message: 'Label value cannot be longer than 63' },
  ],
};

export const kymaAnnotationsSchema: FieldSchema<Texts> = {
  type: 'object',
  description: 'Annotations of the Pods of the function.',
  additionalProperties: text('The value.'),
  'x-kubernetes-validations': [
    {
      rule: `!(self.exists(e, e.startsWith('${reservedPrefix}')))`,
      message: `Annotations has key starting with ${reservedPrefix} which is not allowed`,
    },
    {
      rule: "!(self.exists(e, e=='proxy.istio.io/config'))",
      message: 'Annotations has key proxy.istio.io/config which is not allowed',
    },
  ],
};

const specSchema: FieldSchema<KymaFunctionSpec> = {
  type: 'object',
  description: 'What the function is and how it runs.',
  properties: {
    runtime: {
      type: 'string',
      description:
        'What runs the code. Names that Kyma has retired are taken, too: the nearest runtime ' +
        'that there is runs them, and a condition says so.',
      enum: kymaRuntimes,
      required: true,
    },
    runtimeImageOverride: text('An image to run instead of the one of the runtime.'),
    source: { ...kymaSourceSchema, required: true },
    env: kymaEnvSchema,
    resourceConfiguration: kymaResourceConfigurationSchema,
    scaleConfig: {
      type: 'object',
      description: 'Has no effect any more: use replicas, or an autoscaler that sets it.',
      properties: {
        minReplicas: count('The fewest Instances.'),
        maxReplicas: count('The most Instances.'),
      },
    },
    replicas: {
      type: 'integer',
      format: 'int32',
      description:
        'How many Instances there are. With 0 the function sleeps until somebody calls it.',
      minimum: 0,
      default: 1,
    },
    template: {
      type: 'object',
      description: 'Has no effect any more: use labels and annotations.',
      properties: { labels: texts('Labels.'), annotations: texts('Annotations.') },
      'x-kubernetes-validations': [
        {
          rule: '!has(self.labels) && !has(self.annotations)',
          message:
            'Not supported: Use spec.labels and spec.annotations to label and/or annotate ' +
            "Function's Pods.",
        },
      ],
    },
    secretMounts: {
      type: 'array',
      description: 'Secrets that the function finds as files.',
      items: {
        type: 'object',
        description: 'One of them.',
        properties: {
          secretName: {
            type: 'string',
            description: 'Name of the Secret, in the namespace of the Function.',
            minLength: 1,
            maxLength: 253,
            required: true,
          },
          mountPath: {
            type: 'string',
            description: 'Directory of the files.',
            minLength: 1,
            required: true,
          },
        },
      },
    },
    labels: kymaLabelsSchema,
    annotations: kymaAnnotationsSchema,
    podSecurityContext: kymaPodSecurityContextSchema,
    containerSecurityContext: kymaContainerSecurityContextSchema,
  },
};

const statusSchema: FieldSchema<KymaFunctionStatus> = {
  type: 'object',
  description: 'What became of the Function. Written by Fnlet only.',
  properties: {
    observedGeneration: observedGenerationSchema,
    runtime: text('The runtime that was asked for.'),
    runtimeImage: text('The image that runs, where one does.'),
    replicas: {
      type: 'integer',
      format: 'int32',
      description: 'Instances that are ready.',
    },
    podSelector: text('The labels that select the Pods.'),
    functionResourceProfile: text('The preset in use, or custom.'),
    functionAnnotations: texts('The annotations of the Pods that come from the spec.'),
    commit: text('The commit that runs. Use gitRepository.'),
    baseDir: text('Directory in the repository. Use gitRepository.'),
    reference: text('Branch, tag or commit. Use gitRepository.'),
    gitRepository: {
      type: 'object',
      description: 'Which source runs.',
      properties: {
        url: { type: 'string', description: 'Address of the repository.', required: true },
        baseDir: text('Directory in the repository.'),
        reference: text('Branch, tag or commit that was asked for.'),
        commit: text('The commit that it stands for.'),
      },
    },
    conditions: conditionsSchema,
  },
};

const definition: KindDefinition<KymaFunctionSpec, KymaFunctionStatus> = {
  group: 'serverless.kyma-project.io',
  version: 'v1alpha2',
  kind: 'Function',
  plural: 'functions',
  // Kyma has `fn`, too: here that is a Function of Fnlet, and kubectl would warn at every use.
  shortNames: ['fns'],
  categories: ['all'],
  description: 'A Function of Kyma. A Function of Fnlet with the same name runs it.',
  spec: specSchema,
  status: statusSchema,
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.podSelector',
  },
  columns: [
    {
      name: 'Configured',
      type: 'string',
      jsonPath: ".status.conditions[?(@.type=='ConfigurationReady')].status",
    },
    {
      name: 'Running',
      type: 'string',
      jsonPath: ".status.conditions[?(@.type=='Running')].status",
    },
    { name: 'Runtime', type: 'string', jsonPath: '.spec.runtime' },
    { name: 'Version', type: 'integer', jsonPath: '.metadata.generation' },
  ],
};

/** How Kyma Functions are addressed. */
export const kymaFunctionType: ResourceType = resourceTypeOf(definition);

/** The manifest that teaches a cluster the kind. */
export const kymaFunctionCrd: CustomResourceDefinition = withSketch(
  customResourceDefinition(definition),
);

const parse = objectParser(definition);

/**
 * Reads a Kyma Function that comes from the API, in any version; the result is in the words of
 * v1alpha2.
 *
 * @throws ApiError `UnexpectedShape`
 */
export function parseKymaFunction(value: unknown): KymaFunctionObject {
  return parse(toStoredVersion(value));
}

/** What was written in any version of the kind as it would be in v1alpha2; anything else as it is. */
export function toStoredVersion(value: unknown): unknown {
  const known = readSketch(value);
  const apiVersion = formatApiVersion(kymaFunctionType);
  return isJsonObject(known) && isKyma(known.apiVersion) ? { ...known, apiVersion } : known;
}

function isKyma(version: unknown): boolean {
  return typeof version === 'string' && parseApiVersion(version).group === kymaFunctionType.group;
}
