import type { Condition, CustomResourceDefinition, ResourceType } from '@fnlet/machinery';
import type { FieldSchema } from './field-schema.ts';
import { type HttpSource, httpSourceSchema } from './http-source.ts';
import {
  customResourceDefinition,
  type KindDefinition,
  type KindObject,
  objectParser,
  resourceTypeOf,
} from './kind-definition.ts';
import { functionNameCharactersMax } from './limits.ts';
import { conditionsSchema, observedGenerationSchema } from './status-schema.ts';

/** What is to reach which target. */
export interface TriggerSpec {
  readonly source: TriggerSource;
  readonly target: TriggerTarget;
}

/** Where events and requests come from; exactly one member is there. */
export interface TriggerSource {
  readonly http?: HttpSource;
}

/** Who gets them; in the namespace of the Trigger. */
export interface TriggerTarget {
  readonly function: string;
  /** One of the tags in `spec.traffic` of the Function. Default: calls are shared out as there. */
  readonly tag?: string;
}

/** What became of it. */
export interface TriggerStatus {
  readonly observedGeneration?: number;
  readonly type?: string;
  readonly url?: string;
  readonly conditions?: readonly Condition[];
}

/** A Trigger as the API gives it. */
export type TriggerObject = KindObject<TriggerSpec, TriggerStatus>;

const sources: readonly (keyof TriggerSource)[] = ['http'];

const specSchema: FieldSchema<TriggerSpec> = {
  type: 'object',
  description: 'What is to reach which target.',
  properties: {
    source: {
      type: 'object',
      description: 'Where it comes from.',
      properties: { http: httpSourceSchema },
      required: true,
      'x-kubernetes-validations': [
        {
          rule: `[${sources.map((name) => `has(self.${name})`).join(', ')}].filter(given, given).size() == 1`,
          message: `give exactly one source of ${sources.join(', ')}`,
        },
      ],
    },
    target: {
      type: 'object',
      description: 'Who gets it.',
      properties: {
        function: {
          type: 'string',
          description: 'Name of a Function in the namespace of the Trigger.',
          minLength: 1,
          maxLength: functionNameCharactersMax,
          required: true,
        },
        tag: {
          type: 'string',
          description:
            'The Revision that has this tag in spec.traffic of the Function gets all of it. ' +
            'Default is that it is shared out among Revisions as spec.traffic says.',
          minLength: 1,
          maxLength: 30,
          pattern: '^[a-z]([-a-z0-9]*[a-z0-9])?$',
        },
      },
      required: true,
    },
  },
};

const statusSchema: FieldSchema<TriggerStatus> = {
  type: 'object',
  description: 'What Fnlet made of the Trigger. Written by Fnlet only.',
  properties: {
    observedGeneration: observedGenerationSchema,
    type: { type: 'string', description: 'Which source it has.' },
    url: {
      type: 'string',
      description: 'Where its target is called: with its first host and its first path.',
    },
    conditions: conditionsSchema,
  },
};

const definition: KindDefinition<TriggerSpec, TriggerStatus> = {
  kind: 'Trigger',
  plural: 'triggers',
  shortNames: ['trig'],
  categories: ['all', 'fnlet'],
  description:
    'A Trigger says where requests and events come from and who gets them: with the source http, ' +
    'requests of hosts and paths of your own reach a Function.',
  spec: specSchema,
  status: statusSchema,
  columns: [
    { name: 'Type', type: 'string', jsonPath: '.status.type' },
    { name: 'Target', type: 'string', jsonPath: '.spec.target.function' },
    { name: 'URL', type: 'string', jsonPath: '.status.url' },
    {
      name: 'Ready',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].status',
      description: 'Whether all that it asks for reaches its target.',
    },
    {
      name: 'Reason',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
      description: 'Why it is ready, or is not.',
    },
    {
      name: 'Message',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].message',
      priority: 1,
    },
  ],
};

/** How Triggers are addressed. */
export const triggerType: ResourceType = resourceTypeOf(definition);

/** The manifest that teaches a cluster the kind Trigger. */
export const triggerCrd: CustomResourceDefinition = customResourceDefinition(definition);

/**
 * Reads a Trigger that comes from the API.
 *
 * @throws ApiError `UnexpectedShape`
 */
export const parseTrigger: (value: unknown) => TriggerObject = objectParser(definition);
