import { triggerType } from '@fnlet/api';
import {
  type KafkaTriggerObject,
  kafkaTriggerType,
  kubelessFunctionType,
  type NatsTriggerObject,
  natsTriggerType,
  parseKafkaTrigger,
  parseNatsTrigger,
} from '@fnlet/api/kubeless';
import type { StatusUpdate } from '@fnlet/reconcile';
import type { ForeignKind, Standing } from '../foreign-objects.ts';
import { describeTriggers, type Statement, type TriggerChild } from './describe-triggers.ts';
import { planReadyHappenings } from './plan-ready-happenings.ts';
import { translateKafkaTrigger, translateNatsTrigger } from './translate-topic-trigger.ts';
import type { TriggerTranslation } from './trigger-translation.ts';

type TopicTriggerObject = KafkaTriggerObject | NatsTriggerObject;

type TopicKind<Owner extends TopicTriggerObject> = ForeignKind<
  Owner,
  TriggerChild,
  TriggerTranslation
>;

/** What both kinds have in common. They stay when a function goes: others may have the labels. */
const topicTriggers: Pick<
  TopicKind<TopicTriggerObject>,
  'childType' | 'regards' | 'wanted' | 'planStatus' | 'planHappenings'
> = {
  childType: triggerType,
  regards: kubelessFunctionType,
  wanted: (translation) => (translation.kind === 'translated' ? translation.triggers : undefined),
  planStatus: planTopicTriggerStatus,
  planHappenings: planReadyHappenings,
};

/**
 * KafkaTriggers of Kubeless, each brought to life by a Trigger of Fnlet for each of its functions.
 *
 * @param servers where topics are, of triggers that do not say it
 */
export function kafkaTriggers(servers: string): TopicKind<KafkaTriggerObject> {
  return {
    ...topicTriggers,
    name: 'fnlet-kubeless-kafka',
    type: kafkaTriggerType,
    ownerName: (name) => /^(.+)\.kafka\.[^.]+$/.exec(name)?.[1],
    parse: parseKafkaTrigger,
    translate: (found, functions) => translateKafkaTrigger(found, { functions, servers }),
  };
}

/** NATSTriggers of Kubeless; as `kafkaTriggers`. */
export function natsTriggers(servers: string): TopicKind<NatsTriggerObject> {
  return {
    ...topicTriggers,
    name: 'fnlet-kubeless-nats',
    type: natsTriggerType,
    ownerName: (name) => /^(.+)\.nats\.[^.]+$/.exec(name)?.[1],
    parse: parseNatsTrigger,
    translate: (found, functions) => translateNatsTrigger(found, { functions, servers }),
  };
}

function planTopicTriggerStatus(
  standing: Standing<TopicTriggerObject, TriggerChild, TriggerTranslation>,
): StatusUpdate {
  const said = standing.children.map(({ status }) => status ?? {});
  const last =
    said
      .map(({ lastEventTime = '' }) => lastEventTime)
      .sort()
      .at(-1) ?? '';
  return {
    fields: {
      functions: said.length,
      ...(last === '' ? {} : { lastEventTime: last }),
      lag: sum(said.map(({ lag = 0 }) => lag)),
      deadLetters: sum(said.map(({ deadLetters = 0 }) => deadLetters)),
    },
    conditions: [{ type: 'Ready', ...describeReady(standing) }],
  };
}

function describeReady(
  standing: Standing<TopicTriggerObject, TriggerChild, TriggerTranslation>,
): Statement {
  const { translation } = standing;
  const selectsNone = translation.kind === 'translated' && translation.triggers.length === 0;
  if (selectsNone && standing.obstacle === undefined) {
    const message = 'functionSelector selects no function of Kubeless in this namespace';
    return { status: 'False', reason: 'NoFunctions', message };
  }
  const ready = describeTriggers(standing, 'The Triggers are being made ready');
  if (ready.status !== 'True') return ready;
  const names = standing.children.map(({ metadata }) => metadata.name.split('.').at(-1));
  const { topic } = standing.owner.spec;
  return { ...ready, message: `Messages of ${topic} are delivered to ${names.join(', ')}` };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
