import type { Condition, CustomResourceDefinition, ResourceType } from '@fnlet/machinery';
import { type BrokerSource, brokerSourceSchema } from './broker-source.ts';
import { type CronSource, cronSourceSchema } from './cron-source.ts';
import { type CustomSource, customSourceSchema } from './custom-source.ts';
import { type DeliveryPolicy, deliveryPolicySchema } from './delivery-policy.ts';
import { type EventFilter, eventFiltersSchema } from './event-filter.ts';
import type { FieldSchema } from './field-schema.ts';
import { type HttpSource, httpSourceSchema } from './http-source.ts';
import { type KafkaSource, kafkaSourceSchema } from './kafka-source.ts';
import {
  customResourceDefinition,
  type KindDefinition,
  type KindObject,
  objectParser,
  resourceTypeOf,
} from './kind-definition.ts';
import { type KinesisSource, kinesisSourceSchema } from './kinesis-source.ts';
import { type KubernetesSource, kubernetesSourceSchema } from './kubernetes-source.ts';
import { type NatsSource, natsSourceSchema } from './nats-source.ts';
import { conditionsSchema, observedGenerationSchema } from './status-schema.ts';
import { type TriggerTarget, triggerTargetSchema } from './trigger-target.ts';

/** What is to reach which target. */
export interface TriggerSpec {
  readonly source: TriggerSource;
  /** Default: all events pass. */
  readonly filters?: readonly EventFilter[];
  readonly target: TriggerTarget;
  /** Default: as Knative's broker has it. */
  readonly delivery?: DeliveryPolicy;
  /** Default: false. */
  readonly paused?: boolean;
}

/** Where events and requests come from; exactly one member is there. */
export interface TriggerSource {
  readonly http?: HttpSource;
  readonly cron?: CronSource;
  readonly kubernetes?: KubernetesSource;
  readonly nats?: NatsSource;
  readonly kafka?: KafkaSource;
  readonly kinesis?: KinesisSource;
  readonly broker?: BrokerSource;
  readonly custom?: CustomSource;
}

/** What became of it. */
export interface TriggerStatus {
  readonly observedGeneration?: number;
  readonly type?: string;
  readonly target?: string;
  readonly url?: string;
  /** When the newest event came. */
  readonly lastEventTime?: string;
  /** When an event was last delivered. */
  readonly lastDeliveryTime?: string;
  /** When the source brings the next event, where that is known. */
  readonly nextFireTime?: string;
  /** Events that are kept and not delivered. */
  readonly lag?: number;
  /** Failed attempts since an event was delivered. */
  readonly failures?: number;
  /** What the last of these came to. */
  readonly lastFailure?: string;
  /** Events that were given up and are kept. */
  readonly deadLetters?: number;
  readonly conditions?: readonly Condition[];
}

/** A Trigger as the API gives it. */
export type TriggerObject = KindObject<TriggerSpec, TriggerStatus>;

const triggerSources: readonly (keyof TriggerSource)[] = [
  'http',
  'cron',
  'kubernetes',
  'nats',
  'kafka',
  'kinesis',
  'broker',
  'custom',
];

const takesEvents = '!has(self.source.http) || has(self.source.http.events)';

const specSchema: FieldSchema<TriggerSpec> = {
  type: 'object',
  description: 'What is to reach which target.',
  properties: {
    source: {
      type: 'object',
      description: 'Where it comes from.',
      properties: {
        http: httpSourceSchema,
        cron: cronSourceSchema,
        kubernetes: kubernetesSourceSchema,
        nats: natsSourceSchema,
        kafka: kafkaSourceSchema,
        kinesis: kinesisSourceSchema,
        broker: brokerSourceSchema,
        custom: customSourceSchema,
      },
      required: true,
      'x-kubernetes-validations': [
        {
          rule: `[${triggerSources.map((name) => `has(self.${name})`).join(', ')}].filter(given, given).size() == 1`,
          message: `give exactly one source of ${triggerSources.join(', ')}`,
        },
      ],
    },
    filters: eventFiltersSchema,
    target: { ...triggerTargetSchema, required: true },
    delivery: deliveryPolicySchema,
    paused: {
      type: 'boolean',
      description:
        'Whether nothing is delivered. Events that the source brings by itself are kept ' +
        'meanwhile; sources that are asked for events are not asked. Default is false.',
    },
  },
  'x-kubernetes-validations': [
    {
      rule: `${takesEvents} || has(self.target.__function__)`,
      message:
        'the source http needs target.function: its requests are answered by a Function, but for ' +
        'those that are taken as events',
    },
    {
      rule: `${takesEvents} || !(has(self.filters) || has(self.delivery))`,
      message:
        'the source http has requests, not events: filters and delivery go with it only where ' +
        'http.events is given',
    },
    {
      rule:
        'has(self.source.broker) == has(oldSelf.source.broker) && ' +
        '(!has(self.source.broker) || self.source.broker.name == oldSelf.source.broker.name)',
      message: 'the Broker of a Trigger stays what it is: make another Trigger',
    },
    {
      rule: `${takesEvents} || !has(self.paused) || !self.paused`,
      message: 'the source http cannot be paused: delete the Trigger, or deny its requests',
    },
  ],
};

const statusSchema: FieldSchema<TriggerStatus> = {
  type: 'object',
  description: 'What Fnlet made of the Trigger. Written by Fnlet only.',
  properties: {
    observedGeneration: observedGenerationSchema,
    type: { type: 'string', description: 'Which source it has.' },
    target: {
      type: 'string',
      description:
        'Who gets it: the name of a Function, a URL, broker/ and the name of a Broker, or ' +
        'operator/ and the name of an Operator.',
    },
    url: {
      type: 'string',
      description: 'Where its target is called: with its first host and its first path.',
    },
    lastEventTime: {
      type: 'string',
      format: 'date-time',
      description: 'When the newest event came.',
    },
    lastDeliveryTime: {
      type: 'string',
      format: 'date-time',
      description: 'When an event was last delivered.',
    },
    nextFireTime: {
      type: 'string',
      format: 'date-time',
      description: 'When the source brings the next event, where that is known.',
    },
    lag: {
      type: 'integer',
      format: 'int64',
      description: 'Events that are kept and not delivered.',
      minimum: 0,
    },
    failures: {
      type: 'integer',
      format: 'int64',
      description: 'Failed attempts since an event was delivered.',
      minimum: 0,
    },
    lastFailure: {
      type: 'string',
      description: 'What the last of these came to: what the target answered, or why it did not.',
    },
    deadLetters: {
      type: 'integer',
      format: 'int64',
      description: 'Events that were given up and are kept.',
      minimum: 0,
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
    'requests of hosts and paths of your own reach a Function; with any other source, events are ' +
    'kept until they are delivered.',
  spec: specSchema,
  status: statusSchema,
  columns: [
    { name: 'Type', type: 'string', jsonPath: '.status.type' },
    { name: 'Target', type: 'string', jsonPath: '.status.target' },
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
    { name: 'Last', type: 'date', jsonPath: '.status.lastEventTime', priority: 1 },
    { name: 'Lag', type: 'integer', jsonPath: '.status.lag', priority: 1 },
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
