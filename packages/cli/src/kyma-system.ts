import { kymaFunctionType } from '@fnlet/api/kyma';
import { translateKyma } from '@fnlet/functions/kyma';
import { type KubeObject, parseApiVersion } from '@fnlet/machinery';
import type { ForeignSystem, ForeignTranslation } from './foreign-system.ts';

/** Kyma: its Functions; its other kinds have no counterpart yet. */
export const kymaSystem: ForeignSystem = {
  title: 'Kyma',
  types: [kymaFunctionType],
  translate: translateKymaObject,
};

function translateKymaObject(object: KubeObject): ForeignTranslation | undefined {
  const { group } = parseApiVersion(object.apiVersion);
  if (group === kymaFunctionType.group && object.kind === kymaFunctionType.kind) {
    const translation = translateKyma(object);
    if (translation.kind === 'refused') return translation;
    const isAwake = translation.function.spec.scale.min > 0;
    const awake = 'scale: as in Kyma it never sleeps; with min: 0 it would, until it is called';
    const notices = isAwake ? [...translation.notices, awake] : translation.notices;
    return { kind: 'translated', objects: [translation.function], notices };
  }
  if (!group.endsWith('kyma-project.io')) return undefined;
  return { kind: 'translated', objects: [], notices: ['has no counterpart, and is left out'] };
}
