import {
  cronJobTriggerType,
  httpTriggerType,
  kafkaTriggerType,
  kinesisTriggerType,
  kubelessFunctionType,
  natsTriggerType,
} from '@fnlet/api/kubeless';
import {
  type TriggerTranslation,
  translateCronTrigger,
  translateHttpTrigger,
  translateKafkaTrigger,
  translateKinesisTrigger,
  translateKubeless,
  translateNatsTrigger,
} from '@fnlet/functions/kubeless';
import { type KubeObject, parseApiVersion } from '@fnlet/machinery';
import { settings } from '@fnlet/server/config';
import type { ForeignSystem, ForeignTranslation } from './foreign-system.ts';

/** Kubeless: its functions, and what calls them. */
export const kubelessSystem: ForeignSystem = {
  title: 'Kubeless',
  types: [
    ...[kubelessFunctionType, cronJobTriggerType, httpTriggerType],
    ...[kafkaTriggerType, natsTriggerType, kinesisTriggerType],
  ],
  translate: translateKubelessObject,
};

function translateKubelessObject(
  object: KubeObject,
  all: readonly KubeObject[],
): ForeignTranslation | undefined {
  const { group } = parseApiVersion(object.apiVersion);
  if (group !== kubelessFunctionType.group) return undefined;
  switch (object.kind) {
    case kubelessFunctionType.kind:
      return translateFunction(object);
    case httpTriggerType.kind:
      return translateDoor(object);
    case cronJobTriggerType.kind:
      return asForeign(translateCronTrigger(object));
    case kinesisTriggerType.kind:
      return asForeign(translateKinesisTrigger(object));
    case kafkaTriggerType.kind:
      return translateTopic(object, all, 'kafka');
    case natsTriggerType.kind:
      return translateTopic(object, all, 'nats');
    default:
      return { kind: 'translated', objects: [], notices: ['has no counterpart, and is left out'] };
  }
}

function translateFunction(object: KubeObject): ForeignTranslation {
  const translation = translateKubeless(object);
  if (translation.kind === 'refused') return translation;
  const isAwake = translation.function.spec.scale.min > 0;
  const awake = 'scale: as in Kubeless it never sleeps; with min: 0 it would, until it is called';
  const notices = isAwake ? [...translation.notices, awake] : translation.notices;
  return { kind: 'translated', objects: [translation.function], notices };
}

function translateDoor(object: KubeObject): ForeignTranslation {
  const translation = translateHttpTrigger(object);
  if (translation.kind === 'refused') return translation;
  const { trigger, notices } = translation;
  return { kind: 'translated', objects: [trigger], notices };
}

const topics = {
  kafka: { translate: translateKafkaTrigger, servers: settings.kubelessKafka.default },
  nats: { translate: translateNatsTrigger, servers: settings.kubelessNats.default },
} as const;

/** Its functions are those among what is translated with it. */
function translateTopic(
  object: KubeObject,
  all: readonly KubeObject[],
  word: keyof typeof topics,
): ForeignTranslation {
  const { translate, servers } = topics[word];
  const functions = all.filter(
    ({ apiVersion, kind }) =>
      kind === kubelessFunctionType.kind &&
      parseApiVersion(apiVersion).group === kubelessFunctionType.group,
  );
  const translation = asForeign(translate(object, { functions, servers }));
  if (translation.kind === 'refused') return translation;
  const none = 'functionSelector selects none of the functions here: there is one Trigger for each';
  const where = `servers: ${servers}, where Kubeless's controller looked unless it was told otherwise`;
  const isSaid = object.metadata.annotations?.['fnlet.dev/servers'] !== undefined;
  if (translation.objects.length === 0) return { ...translation, notices: [none] };
  return isSaid ? translation : { ...translation, notices: [where] };
}

function asForeign(translation: TriggerTranslation): ForeignTranslation {
  if (translation.kind === 'refused') return translation;
  const { triggers, notices } = translation;
  return { kind: 'translated', objects: triggers, notices };
}
