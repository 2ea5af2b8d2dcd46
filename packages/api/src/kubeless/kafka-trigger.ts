import type { CustomResourceDefinition, ResourceType } from '@fnlet/machinery';
import {
  customResourceDefinition,
  type KindDefinition,
  type KindObject,
  objectParser,
  resourceTypeOf,
} from '../kind-definition.ts';
import { type TopicTriggerSpec, type TopicTriggerStatus, topicTrigger } from './topic-trigger.ts';

/** A KafkaTrigger of Kubeless as the API gives it. */
export type KafkaTriggerObject = KindObject<TopicTriggerSpec, TopicTriggerStatus>;

const definition: KindDefinition<TopicTriggerSpec, TopicTriggerStatus> = {
  ...topicTrigger,
  kind: 'KafkaTrigger',
  plural: 'kafkatriggers',
  description: 'A KafkaTrigger of Kubeless: functions that get the messages of a topic of Kafka.',
};

/** How KafkaTriggers are addressed. */
export const kafkaTriggerType: ResourceType = resourceTypeOf(definition);

/** The manifest that teaches a cluster the kind. */
export const kafkaTriggerCrd: CustomResourceDefinition = customResourceDefinition(definition);

/**
 * Reads a KafkaTrigger that comes from the API or from a file.
 *
 * @throws ApiError `UnexpectedShape`
 */
export const parseKafkaTrigger: (value: unknown) => KafkaTriggerObject = objectParser(definition);
