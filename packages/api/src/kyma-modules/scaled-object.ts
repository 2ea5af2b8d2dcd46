/** How a workload scales, as KEDA has it. */
import type { Condition, CustomResourceDefinition, ResourceType } from '@fnlet/machinery';
import type { FieldSchema } from '../field-schema.ts';
import {
  customResourceDefinition,
  type KindDefinition,
  type KindObject,
  objectParser,
  resourceTypeOf,
} from '../kind-definition.ts';
import { conditionsSchema, observedGenerationSchema } from '../status-schema.ts';

/** What is asked for, as far as it is read here. */
export interface ScaledObjectSpec {
  readonly scaleTargetRef: {
    readonly name: string;
    readonly apiVersion?: string;
    readonly kind?: string;
  };
  readonly minReplicaCount?: number;
  readonly maxReplicaCount?: number;
  readonly cooldownPeriod?: number;
  readonly triggers: readonly ScaledObjectTrigger[];
  readonly advanced?: unknown;
  readonly fallback?: unknown;
  readonly idleReplicaCount?: number;
  readonly initialCooldownPeriod?: number;
  readonly pollingInterval?: number;
}

/** One thing to scale by. */
export interface ScaledObjectTrigger {
  readonly type: string;
  readonly metricType?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly name?: string;
  readonly useCachedMetrics?: boolean;
  readonly authenticationRef?: unknown;
}

/** What became of it. */
export interface ScaledObjectStatus {
  readonly observedGeneration?: number;
  readonly scaleTargetKind?: string;
  readonly triggersTypes?: string;
  readonly conditions?: readonly Condition[];
}

/** A ScaledObject of KEDA as the API gives it. */
export type ScaledObjectObject = KindObject<ScaledObjectSpec, ScaledObjectStatus>;

const text = (description: string): FieldSchema<string> => ({ type: 'string', description });

const count = (description: string): FieldSchema<number> => {
  return { type: 'integer', format: 'int32', minimum: 0, description };
};

const anything = (description: string): FieldSchema<unknown> => {
  return { 'x-kubernetes-preserve-unknown-fields': true, description };
};

const triggerSchema: FieldSchema<ScaledObjectTrigger> = {
  type: 'object',
  description: 'One thing to scale by.',
  properties: {
    type: {
      ...text('cpu, memory, cron or prometheus; others are not known here.'),
      required: true,
    },
    metricType: text('Utilization for cpu and memory.'),
    metadata: {
      type: 'object',
      description: 'What this type is told.',
      additionalProperties: text('The value.'),
    },
    name: text('What it is called.'),
    useCachedMetrics: { type: 'boolean', description: 'Has no effect.' },
    authenticationRef: anything('Credentials; there is nobody here who would be shown them.'),
  },
};

const specSchema: FieldSchema<ScaledObjectSpec> = {
  type: 'object',
  description: 'What scales, within which bounds and by what.',
  properties: {
    scaleTargetRef: {
      type: 'object',
      description: 'A Function of Kyma in the same namespace.',
      properties: {
        name: { type: 'string', description: 'Its name.', minLength: 1, required: true },
        apiVersion: text('Group and version of its kind.'),
        kind: text('Its kind.'),
      },
      required: true,
    },
    minReplicaCount: count('Instances that are always awake. Default is 0.'),
    maxReplicaCount: {
      ...count('Never more Instances than this. Default is 100.'),
      ...{ type: 'integer', minimum: 1 },
    },
    cooldownPeriod: count('Seconds without demand after which it sleeps. Default is 300.'),
    triggers: {
      type: 'array',
      description: 'What it scales by; the one that asks for most wins.',
      items: triggerSchema,
      minItems: 1,
      required: true,
    },
    advanced: anything('horizontalPodAutoscalerConfig.behavior counts.'),
    fallback: anything('Has no effect: what is not known never lets anything shrink.'),
    idleReplicaCount: count('Has no effect.'),
    initialCooldownPeriod: count('Has no effect.'),
    pollingInterval: count('Has no effect.'),
  },
};

const conditionColumns = ['Ready', 'Active', 'Fallback', 'Paused'].map((name) => ({
  ...{ name, type: 'string' as const },
  jsonPath: `.status.conditions[?(@.type=="${name}")].status`,
}));

const definition: KindDefinition<ScaledObjectSpec, ScaledObjectStatus> = {
  group: 'keda.sh',
  version: 'v1alpha1',
  kind: 'ScaledObject',
  plural: 'scaledobjects',
  shortNames: ['so'],
  categories: [],
  description: "A ScaledObject of KEDA. Fnlet's own scaling does what it asks for.",
  spec: specSchema,
  status: {
    type: 'object',
    description: 'What became of it. Written by Fnlet only.',
    properties: {
      observedGeneration: observedGenerationSchema,
      scaleTargetKind: text('Kind of what scales.'),
      triggersTypes: text('What it scales by.'),
      conditions: conditionsSchema,
    },
  },
  columns: [
    { name: 'ScaleTargetKind', type: 'string', jsonPath: '.status.scaleTargetKind' },
    { name: 'ScaleTargetName', type: 'string', jsonPath: '.spec.scaleTargetRef.name' },
    { name: 'Min', type: 'integer', jsonPath: '.spec.minReplicaCount' },
    { name: 'Max', type: 'integer', jsonPath: '.spec.maxReplicaCount' },
    { name: 'Triggers', type: 'string', jsonPath: '.status.triggersTypes' },
    ...conditionColumns,
  ],
};

/** How ScaledObjects are addressed. */
export const scaledObjectType: ResourceType = resourceTypeOf(definition);

/** The manifest that teaches a cluster the kind. */
export const scaledObjectCrd: CustomResourceDefinition = customResourceDefinition(definition);

/**
 * Reads a ScaledObject that comes from the API or from a file.
 *
 * @throws ApiError `UnexpectedShape`
 */
export const parseScaledObject: (value: unknown) => ScaledObjectObject = objectParser(definition);
