import type { JsonObject } from '@fnlet/base';
import type { Quantity } from '@fnlet/machinery';
import { objectField, textField } from '../object/object-form.ts';
import { countName } from './count-evaluator.ts';
import type { Evaluator } from './evaluator.ts';
import { meetsRequirement, type ScopeRequirement } from './quota.ts';
import { countOf, parseUsage, sameUsage, type Usage } from './usage.ts';

// kubernetes, pkg/quota/v1/evaluator/core/persistent_volume_claims.go.

const counted = countName('', 'persistentvolumeclaims');
const ofClass = '.storageclass.storage.k8s.io/';
const plain = ['persistentvolumeclaims', 'requests.storage'];

function counts(name: string): boolean {
  if (name === counted || plain.includes(name)) return true;
  return plain.some((resource) => name.endsWith(`${ofClass}${resource}`));
}

function usageOf(claim: JsonObject): Usage {
  const usage = new Map([[counted, countOf(1)]]);
  const storageClass = classOf(claim);
  const add = (resource: string, amount: Quantity): void => {
    usage.set(resource, amount);
    if (storageClass !== '') usage.set(`${storageClass}${ofClass}${resource}`, amount);
  };
  add('persistentvolumeclaims', countOf(1));
  const storage = storageOf(claim);
  if (storage !== undefined) add('requests.storage', storage);
  return usage;
}

// The annotation is older than the field, and wins.
function classOf(claim: JsonObject): string {
  const annotations = objectField(objectField(claim, 'metadata'), 'annotations');
  const named = annotations['volume.beta.kubernetes.io/storage-class'];
  if (typeof named === 'string') return named;
  return textField(objectField(claim, 'spec'), 'storageClassName');
}

/** What is asked for, or what was given where that is more (KEP-1790), in whole bytes. */
function storageOf(claim: JsonObject): Quantity | undefined {
  const asked = parseUsage(objectField(objectField(claim, 'spec'), 'resources').requests);
  const wanted = asked.get('storage');
  if (wanted === undefined) return undefined;
  const given = allocated(claim).get('storage');
  const most = given !== undefined && given.nano > wanted.nano ? given : wanted;
  const unit = 1_000_000_000n;
  return { ...most, nano: ((most.nano + unit - 1n) / unit) * unit };
}

function allocated(claim: JsonObject): Usage {
  return parseUsage(objectField(claim, 'status').allocatedResources);
}

/** The VolumeAttributesClasses that it wants, has, or is on its way to (KEP-3751). */
function attributesClasses(claim: JsonObject): ReadonlySet<string> {
  const status = objectField(claim, 'status');
  const names = [
    textField(objectField(claim, 'spec'), 'volumeAttributesClassName'),
    textField(status, 'currentVolumeAttributesClassName'),
    textField(objectField(status, 'modifyVolumeStatus'), 'targetVolumeAttributesClassName'),
  ];
  return new Set(names.filter((name) => name !== ''));
}

function isInScope(claim: JsonObject, requirement: ScopeRequirement): boolean {
  if (requirement.scope !== 'VolumeAttributesClass') return false;
  const names = [...attributesClasses(claim)];
  if (names.length === 0) return meetsRequirement(requirement, undefined);
  return names.some((name) => meetsRequirement(requirement, name));
}

/** core/v1 PersistentVolumeClaim. */
export const volumeClaimEvaluator: Evaluator = {
  counts,
  usageOf,
  isInScope,
  chargesUpdate: ({ object, old, subresource }) => {
    if (subresource === undefined) return true;
    if (subresource !== 'status') return false;
    const isSame = [...attributesClasses(object)].join() === [...attributesClasses(old)].join();
    return !isSame || !sameUsage(allocated(object), allocated(old));
  },
};
