import type { CustomResourceDefinition, ResourceType } from '@fnlet/machinery';
import {
  customResourceDefinition,
  type KindDefinition,
  type KindObject,
  objectParser,
  resourceTypeOf,
} from '../kind-definition.ts';
import { type TopicTriggerSpec, type TopicTriggerStatus, topicTrigger } from './topic-trigger.ts';

/** A NATSTrigger of Kubeless as the API gives it. */
export type NatsTriggerObject = KindObject<TopicTriggerSpec, TopicTriggerStatus>;

const definition: KindDefinition<TopicTriggerSpec, TopicTriggerStatus> = {
  ...topicTrigger,
  kind: 'NATSTrigger',
  plural: 'natstriggers',
  description: 'A NATSTrigger of Kubeless: functions that get the messages of a subject of NATS.',
};

/** How NATSTriggers are addressed. */
export const natsTriggerType: ResourceType = resourceTypeOf(definition);

/** The manifest that teaches a cluster the kind. */
export const natsTriggerCrd: CustomResourceDefinition = customResourceDefinition(definition);

/**
 * Reads a NATSTrigger that comes from the API or from a file.
 *
 * @throws ApiError `UnexpectedShape`
 */
export const parseNatsTrigger: (value: unknown) => NatsTriggerObject = objectParser(definition);
