import { apiVersion, kymaBrokerName } from '@fnlet/api';
import { kymaFunctionType } from '@fnlet/api/kyma';
import { apiRuleType, scaledObjectType, subscriptionType } from '@fnlet/api/kyma-modules';
import { translateKyma } from '@fnlet/functions/kyma';
import {
  translateApiRule,
  translateScaledObject,
  translateSubscription,
} from '@fnlet/functions/kyma-modules';
import { type KubeObject, parseApiVersion } from '@fnlet/machinery';
import type { ForeignSystem, ForeignTranslation } from './foreign-system.ts';

/** Kyma: its Functions, and what stands around them; other kinds have no counterpart. */
export const kymaSystem: ForeignSystem = {
  title: 'Kyma',
  types: [kymaFunctionType, subscriptionType, apiRuleType, scaledObjectType],
  translate: translateKymaObject,
};

const translations: Readonly<Record<string, (object: KubeObject) => ForeignTranslation>> = {
  [`${kymaFunctionType.group}/${kymaFunctionType.kind}`]: translateFunction,
  [`${subscriptionType.group}/${subscriptionType.kind}`]: translateEvents,
  [`${apiRuleType.group}/${apiRuleType.kind}`]: translateRoutes,
  [`${scaledObjectType.group}/${scaledObjectType.kind}`]: translateScaling,
};

function translateKymaObject(object: KubeObject): ForeignTranslation | undefined {
  const { group } = parseApiVersion(object.apiVersion);
  const translation = translations[`${group}/${object.kind}`];
  if (translation !== undefined) return translation(object);
  if (!group.endsWith('kyma-project.io') && group !== scaledObjectType.group) return undefined;
  return { kind: 'translated', objects: [], notices: ['has no counterpart, and is left out'] };
}

function translateFunction(object: KubeObject): ForeignTranslation {
  const translation = translateKyma(object);
  if (translation.kind === 'refused') return translation;
  const isAwake = translation.function.spec.scale.min > 0;
  const awake = 'scale: as in Kyma it never sleeps; with min: 0 it would, until it is called';
  const notices = isAwake ? [...translation.notices, awake] : translation.notices;
  return { kind: 'translated', objects: [translation.function], notices };
}

function translateEvents(object: KubeObject): ForeignTranslation {
  const translation = translateSubscription(object);
  if (translation.kind === 'refused') return translation;
  const { trigger, notices } = translation;
  // What Functions publish as in Kyma comes to the Brokers of this name.
  const metadata = { ...trigger.metadata, name: kymaBrokerName };
  const broker = { apiVersion, kind: 'Broker', metadata, spec: {} };
  return { kind: 'translated', objects: [broker, trigger], notices };
}

function translateRoutes(object: KubeObject): ForeignTranslation {
  const translation = translateApiRule(object);
  if (translation.kind === 'refused') return translation;
  return { kind: 'translated', objects: translation.triggers, notices: translation.notices };
}

/** A part of a Function is no object: it is told. */
function translateScaling(object: KubeObject): ForeignTranslation {
  const translation = translateScaledObject(object);
  if (translation.kind === 'refused') return translation;
  const { target, scale, notices } = translation;
  const told = `Function ${target} scales so with spec.scale: ${JSON.stringify(scale)}`;
  return { kind: 'translated', objects: [], notices: [...notices, told] };
}
