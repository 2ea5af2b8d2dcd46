import type { Condition, CustomResourceDefinition, ResourceType } from '@fnlet/machinery';
import { type DeliveryPolicy, deliveryPolicySchema } from './delivery-policy.ts';
import type { FieldSchema } from './field-schema.ts';
import {
  customResourceDefinition,
  type KindDefinition,
  type KindObject,
  objectParser,
  resourceTypeOf,
} from './kind-definition.ts';
import { brokerNameCharactersMax } from './limits.ts';
import { conditionsSchema, observedGenerationSchema } from './status-schema.ts';

/** Events that come to one place, and are kept for whoever subscribes to it. */
export interface BrokerSpec {
  readonly retention: BrokerRetention;
  /** For Triggers of the Broker that have none of their own. */
  readonly delivery?: DeliveryPolicy;
}

/** How long events are kept, and how many. */
export interface BrokerRetention {
  /** After that, events go that every Trigger is done with. */
  readonly maxAge: string;
  /** Beyond these the oldest events go, whoever still wants them. */
  readonly maxBytes: string | number;
  /** Default: any number. */
  readonly maxEvents?: number;
}

/** What became of it. */
export interface BrokerStatus {
  readonly observedGeneration?: number;
  /** Where events are sent, from inside. */
  readonly address?: BrokerAddress;
  readonly events?: number;
  readonly bytes?: number;
  /** Events that went, for want of room, before every Trigger was done with them. */
  readonly lost?: number;
  readonly conditions?: readonly Condition[];
}

export interface BrokerAddress {
  readonly url?: string;
}

/** A Broker as the API gives it. */
export type BrokerObject = KindObject<BrokerSpec, BrokerStatus>;

const defaultRetention: BrokerRetention = { maxAge: '1h', maxBytes: '1Gi' };

const retentionSchema: FieldSchema<BrokerRetention> = {
  type: 'object',
  description: 'How long events are kept, and how many.',
  properties: {
    maxAge: {
      type: 'string',
      description:
        'How long events are kept that every Trigger is done with, for Triggers that begin in ' +
        'the past; 0 for not at all. Others are kept however old they are. Default is 1h.',
      maxLength: 32,
      pattern: '^(0|([0-9]+([.][0-9]+)?(ms|s|m|h))+)$',
      default: defaultRetention.maxAge,
    },
    maxBytes: {
      'x-kubernetes-int-or-string': true,
      description:
        'How much the data of all events may take, such as 512Mi. Beyond it the oldest go, also ' +
        'those that Triggers are not done with; status.lost counts them. Default is 1Gi.',
      maxLength: 16,
      pattern: '^[0-9]+(Ki|Mi|Gi)?$',
      minimum: 1,
      default: defaultRetention.maxBytes,
    },
    maxEvents: {
      type: 'integer',
      format: 'int64',
      description: 'How many events are kept; beyond it as with maxBytes. Default is any number.',
      minimum: 1,
    },
  },
};

const definition: KindDefinition<BrokerSpec, BrokerStatus> = {
  kind: 'Broker',
  plural: 'brokers',
  shortNames: [],
  categories: ['all', 'fnlet'],
  description:
    'A Broker takes CloudEvents and keeps them until all Triggers with it as their source are ' +
    'done with them. What their targets answer with are events of the Broker, too.',
  spec: {
    type: 'object',
    description: 'How it keeps events.',
    properties: {
      retention: { ...retentionSchema, default: defaultRetention },
      delivery: {
        ...deliveryPolicySchema,
        description:
          'How events reach the targets of Triggers that have no delivery of their own; nothing of ' +
          'it holds for those that have.',
      },
    },
  },
  status: {
    type: 'object',
    description: 'What Fnlet made of the Broker. Written by Fnlet only.',
    properties: {
      observedGeneration: observedGenerationSchema,
      address: {
        type: 'object',
        description: 'Where it is reached, from inside.',
        properties: {
          url: { type: 'string', description: 'Where events are sent with POST.' },
        },
      },
      events: {
        type: 'integer',
        format: 'int64',
        description: 'Events that are kept, as of a moment ago.',
        minimum: 0,
      },
      bytes: {
        type: 'integer',
        format: 'int64',
        description: 'What they take, as of a moment ago.',
        minimum: 0,
      },
      lost: {
        type: 'integer',
        format: 'int64',
        description: 'Events that went, for want of room, before every Trigger was done with them.',
        minimum: 0,
      },
      conditions: conditionsSchema,
    },
  },
  columns: [
    { name: 'URL', type: 'string', jsonPath: '.status.address.url' },
    { name: 'Events', type: 'integer', jsonPath: '.status.events' },
    {
      name: 'Ready',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].status',
      description: 'Whether it takes events.',
    },
    {
      name: 'Reason',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
      description: 'Why it does, or does not.',
    },
    { name: 'Lost', type: 'integer', jsonPath: '.status.lost', priority: 1 },
  ],
  name: {
    type: 'string',
    description: 'With -broker behind it, it is the name of a Service.',
    maxLength: brokerNameCharactersMax,
    pattern: '^[a-z]([-a-z0-9]*[a-z0-9])?$',
  },
};

/** How Brokers are addressed. */
export const brokerType: ResourceType = resourceTypeOf(definition);

/** The manifest that teaches a cluster the kind Broker. */
export const brokerCrd: CustomResourceDefinition = customResourceDefinition(definition);

/**
 * Reads a Broker that comes from the API.
 *
 * @throws ApiError `UnexpectedShape`
 */
export const parseBroker: (value: unknown) => BrokerObject = objectParser(definition);
