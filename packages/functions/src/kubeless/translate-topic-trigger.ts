/** KafkaTriggers and NATSTriggers of Kubeless as Triggers, one for each function. */
import type { KafkaSource, NatsSource, TriggerSource } from '@fnlet/api';
import {
  type KafkaTriggerObject,
  type NatsTriggerObject,
  parseKafkaTrigger,
  parseNatsTrigger,
} from '@fnlet/api/kubeless';
import { errorMessage } from '@fnlet/base';
import {
  type KubeObject,
  type LabelSelector,
  labelSelectorFromSpec,
  matchesLabels,
} from '@fnlet/machinery';
import {
  kubelessDelivery,
  type TriggerTranslation,
  translateToTriggers,
} from './trigger-translation.ts';

/** What a translation depends on beside the object. */
export interface TopicSurroundings {
  /** Functions of Kubeless; those of other namespaces are left alone. */
  readonly functions: readonly Pick<KubeObject, 'metadata'>[];
  /** Where messages come from, between commas, unless an annotation of the object says otherwise. */
  readonly servers: string;
}

type TopicTriggerObject = KafkaTriggerObject | NatsTriggerObject;

/**
 * The Triggers that do what a KafkaTrigger does. It never throws: whatever the definition of the
 * kind lets pass is translated or refused with a reason.
 */
export function translateKafkaTrigger(
  object: KubeObject,
  surroundings: TopicSurroundings,
): TriggerTranslation {
  const sourceOf = (trigger: TopicTriggerObject, group: string | undefined): TriggerSource => ({
    kafka: planKafka(trigger, group, surroundings.servers),
  });
  return translate(object, surroundings, { word: 'kafka', parse: parseKafkaTrigger, sourceOf });
}

/** The Triggers that do what a NATSTrigger does; as `translateKafkaTrigger`. */
export function translateNatsTrigger(
  object: KubeObject,
  surroundings: TopicSurroundings,
): TriggerTranslation {
  const sourceOf = (trigger: TopicTriggerObject, group: string | undefined): TriggerSource => ({
    nats: planNats(trigger, group, surroundings.servers),
  });
  return translate(object, surroundings, { word: 'nats', parse: parseNatsTrigger, sourceOf });
}

interface TopicKind {
  /** What the names of its Triggers have between those of the trigger and of the function. */
  readonly word: 'kafka' | 'nats';
  readonly parse: (object: unknown) => TopicTriggerObject;
  readonly sourceOf: (trigger: TopicTriggerObject, group: string | undefined) => TriggerSource;
}

function translate(
  object: KubeObject,
  { functions }: TopicSurroundings,
  { word, parse, sourceOf }: TopicKind,
): TriggerTranslation {
  let trigger: TopicTriggerObject;
  let selector: LabelSelector;
  try {
    trigger = parse(object);
    selector = labelSelectorFromSpec(trigger.spec.functionSelector ?? {});
  } catch (error) {
    return { kind: 'refused', reasons: [errorMessage(error)] };
  }
  const mistakes = findAnnotationMistakes(trigger.metadata);
  if (mistakes.length > 0) return { kind: 'refused', reasons: mistakes };
  const { name, namespace } = trigger.metadata;
  const { topic } = trigger.spec;
  const called = functions
    .map(({ metadata }) => metadata)
    .filter((metadata) => metadata.namespace === namespace && isThere(metadata))
    .filter(({ labels }) => matchesLabels(selector, labels))
    .map((metadata) => metadata.name)
    .sort();
  const plans = called.map((target) => {
    // As Kubeless named it: what its consumers have read is not read again.
    const group = namespace === undefined ? undefined : `${namespace}_${name}_${target}_${topic}`;
    return {
      name: `${name}.${word}.${target}`,
      spec: {
        source: sourceOf(trigger, group),
        target: { function: target },
        delivery: kubelessDelivery,
      },
    };
  });
  return translateToTriggers(trigger.metadata, plans);
}

function isThere({ deletionTimestamp }: KubeObject['metadata']): boolean {
  return deletionTimestamp === undefined;
}

function planKafka(
  { metadata, spec }: TopicTriggerObject,
  group: string | undefined,
  servers: string,
): KafkaSource {
  const { tls, sasl, secret } = annotationsOf(metadata);
  const mechanism = saslMechanisms.find((known) => known === sasl);
  return {
    ...{ servers: serversOf(metadata, servers), topics: [spec.topic], from: 'newest' },
    ...(group === undefined ? {} : { consumerGroup: group }),
    ...(mechanism === undefined ? {} : { sasl: mechanism }),
    ...(tls === undefined ? {} : { tls: tls === 'true' }),
    ...(secret === undefined ? {} : { secret }),
  };
}

function planNats(
  { metadata, spec }: TopicTriggerObject,
  group: string | undefined,
  servers: string,
): NatsSource {
  const { stream, secret } = annotationsOf(metadata);
  // Of a stream one consumer is shared; names of groups have no wildcards.
  const queueGroup = stream === undefined ? group?.replace(/[*>]/g, '_') : undefined;
  return {
    ...{ servers: serversOf(metadata, servers), subject: spec.topic, from: 'newest' },
    ...(queueGroup === undefined ? {} : { queueGroup }),
    ...(stream === undefined ? {} : { stream }),
    ...(secret === undefined ? {} : { secret }),
  };
}

interface BrokerAnnotations {
  readonly servers?: string;
  readonly secret?: string;
  readonly sasl?: string;
  readonly tls?: string;
  readonly stream?: string;
}

/** What Kubeless's controllers were told for all triggers together, of one of them. */
function annotationsOf({ annotations = {} }: KubeObject['metadata']): BrokerAnnotations {
  const given = ['servers', 'secret', 'sasl', 'tls', 'stream'].flatMap((name) => {
    const value = annotations[`fnlet.dev/${name}`];
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given);
}

const saslMechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;

function findAnnotationMistakes(metadata: KubeObject['metadata']): readonly string[] {
  const { tls = 'true', sasl = 'PLAIN' } = annotationsOf(metadata);
  const expected = `expected ${saslMechanisms.join(', ')}`;
  return [
    ...(['true', 'false'].includes(tls)
      ? []
      : [`fnlet.dev/tls: found "${tls}", expected true or false`]),
    ...(saslMechanisms.some((known) => known === sasl)
      ? []
      : [`fnlet.dev/sasl: found "${sasl}", ${expected}`]),
  ];
}

function serversOf(metadata: KubeObject['metadata'], servers: string): readonly string[] {
  const list = annotationsOf(metadata).servers ?? servers;
  return list
    .split(',')
    .map((server) => server.trim())
    .filter((server) => server !== '');
}
