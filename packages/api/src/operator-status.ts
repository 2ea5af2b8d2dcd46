import type { Condition } from '@fnlet/machinery';
import type { FieldSchema } from './field-schema.ts';
import { conditionsSchema, observedGenerationSchema } from './status-schema.ts';

/** What became of an Operator. */
export interface OperatorStatus {
  readonly observedGeneration?: number;
  /** The Function that is called. */
  readonly function?: string;
  readonly objects?: OperatorObjects;
  /** Objects that wait for a run, now or at a time of their own. */
  readonly queue?: number;
  /** When a function was called last. */
  readonly lastRun?: string;
  /** When the next object is due that asked for it. */
  readonly nextDue?: string;
  /** Whether its function has an Instance. */
  readonly awake?: boolean;
  readonly missingPermissions?: readonly MissingPermission[];
  readonly conditions?: readonly Condition[];
}

/** How many objects there are of its kind. */
export interface OperatorObjects {
  readonly total?: number;
  /** Nothing is left to do for them until something changes. */
  readonly settled?: number;
  /** Their last run failed. */
  readonly failing?: number;
}

/** A rule that a Role of its ServiceAccount lacks. */
export interface MissingPermission {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs?: readonly string[];
  /** Where; absent: everywhere, so it belongs into a ClusterRole. */
  readonly namespace?: string;
}

const textsOf = (description: string, item: string): FieldSchema<readonly string[]> => ({
  type: 'array',
  description,
  items: { type: 'string', description: item },
  'x-kubernetes-list-type': 'atomic',
});

const count = (description: string): FieldSchema<number> => ({
  type: 'integer',
  format: 'int64',
  description,
  minimum: 0,
});

export const operatorStatusSchema: FieldSchema<OperatorStatus> = {
  type: 'object',
  description: 'What Fnlet made of the Operator. Written by Fnlet only; counts are a moment old.',
  properties: {
    observedGeneration: observedGenerationSchema,
    function: { type: 'string', description: 'Name of the Function that is called.' },
    objects: {
      type: 'object',
      description: 'How many objects there are of its kind.',
      properties: {
        total: count('All that it is to look after.'),
        settled: count('Those for which nothing is left to do until something changes.'),
        failing: count('Those whose last run failed.'),
      },
    },
    queue: count('Objects that wait for a run, now or at a time of their own.'),
    lastRun: { type: 'string', format: 'date-time', description: 'When it was called last.' },
    nextDue: {
      type: 'string',
      format: 'date-time',
      description: 'When the next object is due that asked to be looked at again.',
    },
    awake: { type: 'boolean', description: 'Whether its function has an Instance.' },
    missingPermissions: {
      type: 'array',
      description: 'Rules that the Roles of its ServiceAccount lack.',
      items: {
        type: 'object',
        description: 'A rule to add to a Role, or a ClusterRole where it names no namespace.',
        properties: {
          apiGroups: textsOf('Groups of the resources.', 'A group; "" for the core group.'),
          resources: textsOf('What it is about.', 'A resource.'),
          verbs: textsOf('What is to be allowed.', 'A verb.'),
          namespace: { type: 'string', description: 'Where. Absent: everywhere.' },
        },
      },
      'x-kubernetes-list-type': 'atomic',
    },
    conditions: conditionsSchema,
  },
};
