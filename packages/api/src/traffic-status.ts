import type { FieldSchema } from './field-schema.ts';
import { revisionNameCharactersMax } from './limits.ts';

/** What one Revision gets of the calls now. */
export interface TrafficStatus {
  readonly revision: string;
  readonly latest?: boolean;
  readonly percent: number;
  readonly tag?: string;
  readonly url?: string;
}

export const trafficStatusSchema: FieldSchema<readonly TrafficStatus[]> = {
  type: 'array',
  description: 'Where calls go now.',
  'x-kubernetes-list-type': 'atomic',
  items: {
    type: 'object',
    description: 'A Revision, and what it gets.',
    properties: {
      revision: { type: 'string', description: 'Name of the Revision.', required: true },
      latest: { type: 'boolean', description: 'Whether it has it as the newest Revision.' },
      percent: {
        type: 'integer',
        format: 'int32',
        description: 'Its part of the calls that ask for no particular Revision.',
        required: true,
      },
      tag: { type: 'string', description: 'The tag by which it is called.' },
      url: { type: 'string', description: 'Where it alone is called, by its tag.' },
    },
  },
};

const phases = ['Progressing', 'RolledBack'] as const;

/** How far a canary has come, so that another process can go on with it. */
export interface CanaryStatus {
  readonly phase: (typeof phases)[number];
  readonly revision: string;
  readonly stable: string;
  readonly step: number;
  readonly since: string;
  readonly digest: string;
  readonly message?: string;
}

export const canaryStatusSchema: FieldSchema<CanaryStatus> = {
  type: 'object',
  description: 'The new Revision that takes over step by step, or was rolled back last.',
  properties: {
    phase: {
      type: 'string',
      description: 'Whether it is under way, or was rolled back.',
      enum: phases,
      required: true,
    },
    revision: { type: 'string', description: 'Name of the new Revision.', required: true },
    stable: {
      type: 'string',
      description: 'Name of the Revision that it takes over from.',
      maxLength: revisionNameCharactersMax,
      required: true,
    },
    step: {
      type: 'integer',
      format: 'int32',
      description: 'The step that it is at, from 1 on.',
      minimum: 1,
      required: true,
    },
    since: {
      type: 'string',
      format: 'date-time',
      description: 'When this step began, or when it was rolled back.',
      required: true,
    },
    digest: {
      type: 'string',
      description: 'Digest of the canary in the spec; with another one it is tried anew.',
      required: true,
    },
    message: { type: 'string', description: 'Why it was rolled back.' },
  },
};
