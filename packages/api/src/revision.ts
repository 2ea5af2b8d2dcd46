import type { Condition, CustomResourceDefinition, ResourceType } from '@fnlet/machinery';
import type { FieldSchema } from './field-schema.ts';
import {
  customResourceDefinition,
  type KindDefinition,
  type KindObject,
  objectParser,
  resourceTypeOf,
} from './kind-definition.ts';
import { type RevisionTemplate, templateProperties } from './revision-template.ts';
import { conditionsSchema, observedGenerationSchema } from './status-schema.ts';

/** A frozen version of a Function. */
export interface RevisionSpec extends RevisionTemplate {
  readonly function: string;
  readonly environmentDigest: string;
}

/** What is known about it. */
export interface RevisionStatus {
  readonly observedGeneration?: number;
  readonly artifact?: string;
  readonly servedAt?: string;
  readonly conditions?: readonly Condition[];
}

/** A Revision as the API gives it. */
export type RevisionObject = KindObject<RevisionSpec, RevisionStatus>;

const specSchema: FieldSchema<RevisionSpec> = {
  type: 'object',
  description: 'What the Function was when this Revision was made.',
  properties: {
    function: {
      type: 'string',
      description: 'Name of the Function.',
      minLength: 1,
      required: true,
    },
    environmentDigest: {
      type: 'string',
      description:
        'Digest of the environment with the values that Secrets and ConfigMaps had. The values ' +
        'themselves are not kept here.',
      minLength: 1,
      required: true,
    },
    ...templateProperties,
  },
  'x-kubernetes-validations': [
    {
      rule: 'self == oldSelf',
      message: 'a Revision never changes: change its Function, which makes a new Revision',
    },
  ],
};

const statusSchema: FieldSchema<RevisionStatus> = {
  type: 'object',
  description: 'What is known about the Revision. Written by Fnlet only.',
  properties: {
    observedGeneration: observedGenerationSchema,
    artifact: {
      type: 'string',
      description: 'Digest of the stored source and installed packages.',
    },
    servedAt: {
      type: 'string',
      format: 'date-time',
      description: 'When calls last began to go to it.',
    },
    conditions: conditionsSchema,
  },
};

const definition: KindDefinition<RevisionSpec, RevisionStatus> = {
  kind: 'Revision',
  plural: 'revisions',
  shortNames: ['rev'],
  categories: ['fnlet'],
  description:
    'A Revision is a frozen version of a Function, named by the digest of everything that ' +
    'affects its behaviour. Fnlet makes and deletes Revisions.',
  spec: specSchema,
  status: statusSchema,
  columns: [
    { name: 'Function', type: 'string', jsonPath: '.spec.function' },
    {
      name: 'Ready',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].status',
      description: 'Whether an Instance of it was ready once.',
    },
    {
      name: 'Reason',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
    },
    { name: 'Runtime', type: 'string', jsonPath: '.spec.runtime' },
  ],
};

/** How Revisions are addressed. */
export const revisionType: ResourceType = resourceTypeOf(definition);

/** The manifest that teaches a cluster the kind Revision. */
export const revisionCrd: CustomResourceDefinition = customResourceDefinition(definition);

/**
 * Reads a Revision that comes from the API.
 *
 * @throws ApiError `UnexpectedShape`
 */
export const parseRevision: (value: unknown) => RevisionObject = objectParser(definition);
