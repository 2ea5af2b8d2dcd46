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
import { kubelessKind, readyColumn } from './kubeless-kind.ts';

/** When a function is to be called, and with what. */
export interface CronJobTriggerSpec {
  readonly schedule: string;
  readonly 'function-name': string;
  /** Absent or null: it is called with GET; otherwise with POST and this as JSON. */
  readonly payload?: unknown;
}

/** What became of it; Kubeless itself wrote none. */
export interface CronJobTriggerStatus {
  readonly observedGeneration?: number;
  /** The last time for which the function was called. */
  readonly lastScheduleTime?: string;
  readonly lastSuccessfulTime?: string;
  readonly nextScheduleTime?: string;
  readonly conditions?: readonly Condition[];
}

/** A CronJobTrigger of Kubeless as the API gives it. */
export type CronJobTriggerObject = KindObject<CronJobTriggerSpec, CronJobTriggerStatus>;

const specSchema: FieldSchema<CronJobTriggerSpec> = {
  type: 'object',
  description: 'When the function is to be called, and with what.',
  'x-kubernetes-preserve-unknown-fields': true,
  properties: {
    schedule: {
      type: 'string',
      description: 'Minute, hour, day of month, month, day of week, in UTC; @hourly and the like.',
      minLength: 1,
      required: true,
    },
    'function-name': {
      type: 'string',
      description: 'Name of the function, in the same namespace.',
      minLength: 1,
      required: true,
    },
    payload: {
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'What it is called with, as JSON. Without it: GET, and no body.',
    },
  },
};

const time = (description: string): FieldSchema<string> => ({
  type: 'string',
  format: 'date-time',
  description,
});

const statusSchema: FieldSchema<CronJobTriggerStatus> = {
  type: 'object',
  description: 'What became of it. Written by Fnlet only.',
  properties: {
    observedGeneration: observedGenerationSchema,
    lastScheduleTime: time('The last time for which the function was called.'),
    lastSuccessfulTime: time('When such a call last went well.'),
    nextScheduleTime: time('When it is called next.'),
    conditions: conditionsSchema,
  },
};

const definition: KindDefinition<CronJobTriggerSpec, CronJobTriggerStatus> = {
  ...kubelessKind,
  kind: 'CronJobTrigger',
  plural: 'cronjobtriggers',
  description: 'A CronJobTrigger of Kubeless: times at which a function is called.',
  spec: specSchema,
  status: statusSchema,
  columns: [
    { name: 'Function', type: 'string', jsonPath: '.spec.function-name' },
    { name: 'Schedule', type: 'string', jsonPath: '.spec.schedule' },
    { name: 'Last', type: 'date', jsonPath: '.status.lastScheduleTime' },
    readyColumn,
  ],
};

/** How CronJobTriggers are addressed. */
export const cronJobTriggerType: ResourceType = resourceTypeOf(definition);

/** The manifest that teaches a cluster the kind. */
export const cronJobTriggerCrd: CustomResourceDefinition = customResourceDefinition(definition);

/**
 * Reads a CronJobTrigger that comes from the API or from a file.
 *
 * @throws ApiError `UnexpectedShape`
 */
export const parseCronJobTrigger: (value: unknown) => CronJobTriggerObject =
  objectParser(definition);
