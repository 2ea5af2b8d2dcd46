/** Who gets which events, as Kyma's module Eventing has it. */
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

/** Which events reach which Service. */
export interface SubscriptionSpec {
  readonly sink: string;
  readonly source: string;
  readonly types: readonly string[];
  readonly typeMatching?: string;
  readonly config?: Readonly<Record<string, string>>;
  readonly id?: string;
}

/** What became of it. */
export interface SubscriptionStatus {
  readonly observedGeneration?: number;
  readonly ready?: boolean;
  readonly types?: readonly { readonly originalType: string; readonly cleanType: string }[];
  readonly conditions?: readonly Condition[];
}

/** A Subscription of Kyma as the API gives it. */
export type SubscriptionObject = KindObject<SubscriptionSpec, SubscriptionStatus>;

const text = (description: string): FieldSchema<string> => ({ type: 'string', description });

const specSchema: FieldSchema<SubscriptionSpec> = {
  type: 'object',
  description: 'Which events reach which Service.',
  properties: {
    sink: {
      ...text('The Service of a Function, as http://<name>.<namespace>.svc.cluster.local.'),
      required: true,
    },
    source: { ...text('Where the events come from.'), required: true },
    types: {
      type: 'array',
      description: 'Types of the events.',
      items: text('A type, of two segments at least.'),
      required: true,
    },
    typeMatching: text(
      'standard, the default: source and types are compared without the characters that Kyma ' +
        'takes out; exact: types are <source>.<type>, compared as they are.',
    ),
    config: {
      type: 'object',
      description: 'maxInFlightMessages: how many events are under way at once. Default is 10.',
      additionalProperties: text('The value.'),
    },
    id: text('Has no effect.'),
  },
};

const definition: KindDefinition<SubscriptionSpec, SubscriptionStatus> = {
  group: 'eventing.kyma-project.io',
  version: 'v1alpha2',
  kind: 'Subscription',
  plural: 'subscriptions',
  shortNames: [],
  categories: ['kyma-eventing'],
  description: 'A Subscription of Kyma. A Trigger of Fnlet with the same name does it.',
  spec: specSchema,
  status: {
    type: 'object',
    description: 'What became of it. Written by Fnlet only.',
    properties: {
      observedGeneration: observedGenerationSchema,
      ready: { type: 'boolean', description: 'Whether events are delivered.' },
      types: {
        type: 'array',
        description: 'The types as they are compared.',
        items: {
          type: 'object',
          description: 'A type.',
          properties: {
            originalType: { ...text('As it was written.'), required: true },
            cleanType: { ...text('As it is compared.'), required: true },
          },
        },
      },
      conditions: conditionsSchema,
    },
  },
  columns: [{ name: 'Ready', type: 'string', jsonPath: '.status.ready' }],
};

/** How Subscriptions are addressed. */
export const subscriptionType: ResourceType = resourceTypeOf(definition);

/** The manifest that teaches a cluster the kind. */
export const subscriptionCrd: CustomResourceDefinition = customResourceDefinition(definition);

/**
 * Reads a Subscription that comes from the API or from a file.
 *
 * @throws ApiError `UnexpectedShape`
 */
export const parseSubscription: (value: unknown) => SubscriptionObject = objectParser(definition);
