import { cronJobTriggerType, httpTriggerType, kubelessFunctionType } from '@fnlet/api/kubeless';
import { translateHttpTrigger, translateKubeless } from '@fnlet/functions/kubeless';
import { type KubeObject, parseApiVersion } from '@fnlet/machinery';
import type { ForeignSystem, ForeignTranslation } from './foreign-system.ts';

/** Kubeless: its functions and HTTPTriggers; its other triggers have no counterpart yet. */
export const kubelessSystem: ForeignSystem = {
  title: 'Kubeless',
  types: [kubelessFunctionType, cronJobTriggerType, httpTriggerType],
  translate: translateKubelessObject,
};

function translateKubelessObject(object: KubeObject): ForeignTranslation | undefined {
  const { group } = parseApiVersion(object.apiVersion);
  if (group !== kubelessFunctionType.group) return undefined;
  if (object.kind === httpTriggerType.kind) return translateDoor(object);
  if (object.kind !== kubelessFunctionType.kind) {
    return { kind: 'translated', objects: [], notices: ['has no counterpart, and is left out'] };
  }
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
