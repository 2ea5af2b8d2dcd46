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
import { kubelessKind, readyColumn, textSchema } from './kubeless-kind.ts';

/** Whose records reach which function. */
export interface KinesisTriggerSpec {
  readonly 'function-name': string;
  readonly 'aws-region': string;
  /** A Secret with aws_access_key_id and aws_secret_access_key. */
  readonly secret: string;
  readonly stream: string;
  /** The one that is read; `*`: all of them. */
  readonly shard: string;
  readonly endpoint?: string;
}

/** What became of it; Kubeless itself wrote none. */
export interface KinesisTriggerStatus {
  readonly observedGeneration?: number;
  readonly lastEventTime?: string;
  /** Records that wait. */
  readonly lag?: number;
  readonly deadLetters?: number;
  readonly conditions?: readonly Condition[];
}

/** A KinesisTrigger of Kubeless as the API gives it. */
export type KinesisTriggerObject = KindObject<KinesisTriggerSpec, KinesisTriggerStatus>;

/** Kubeless looked whether these are there when it used them. */
const given = { minLength: 1, required: true } as const;

const specSchema: FieldSchema<KinesisTriggerSpec> = {
  type: 'object',
  description: 'Whose records reach which function.',
  'x-kubernetes-preserve-unknown-fields': true,
  properties: {
    'function-name': { ...textSchema('Name of the function, in the same namespace.'), ...given },
    'aws-region': { ...textSchema('Region of AWS that the stream is in.'), ...given },
    secret: {
      ...textSchema('A Secret with aws_access_key_id and aws_secret_access_key.'),
      ...given,
    },
    stream: { ...textSchema('Name of the stream.'), ...given },
    shard: {
      ...textSchema(
        'The shard that is read, as in Kubeless; * for all, through splits and merges.',
      ),
      ...given,
    },
    endpoint: textSchema('Where Kinesis answers. Default: where AWS has it in the region.'),
  },
};

const statusSchema: FieldSchema<KinesisTriggerStatus> = {
  type: 'object',
  description: 'What became of it. Written by Fnlet only.',
  properties: {
    observedGeneration: observedGenerationSchema,
    lastEventTime: {
      type: 'string',
      format: 'date-time',
      description: 'When the newest record came.',
    },
    lag: { type: 'integer', format: 'int64', description: 'Records that wait.', minimum: 0 },
    deadLetters: {
      type: 'integer',
      format: 'int64',
      description: 'Records that were given up and are kept.',
      minimum: 0,
    },
    conditions: conditionsSchema,
  },
};

const definition: KindDefinition<KinesisTriggerSpec, KinesisTriggerStatus> = {
  ...kubelessKind,
  kind: 'KinesisTrigger',
  plural: 'kinesistriggers',
  description: 'A KinesisTrigger of Kubeless: a function that gets the records of a stream.',
  spec: specSchema,
  status: statusSchema,
  columns: [
    { name: 'Function', type: 'string', jsonPath: '.spec.function-name' },
    { name: 'Stream', type: 'string', jsonPath: '.spec.stream' },
    { name: 'Shard', type: 'string', jsonPath: '.spec.shard' },
    readyColumn,
  ],
};

/** How KinesisTriggers are addressed. */
export const kinesisTriggerType: ResourceType = resourceTypeOf(definition);

/** The manifest that teaches a cluster the kind. */
export const kinesisTriggerCrd: CustomResourceDefinition = customResourceDefinition(definition);

/**
 * Reads a KinesisTrigger that comes from the API or from a file.
 *
 * @throws ApiError `UnexpectedShape`
 */
export const parseKinesisTrigger: (value: unknown) => KinesisTriggerObject =
  objectParser(definition);
