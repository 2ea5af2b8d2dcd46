import type { JsonObject } from '@fnlet/base';
import { listField, objectField, textField } from '../object/object-form.ts';
import { countName } from './count-evaluator.ts';
import type { Evaluator } from './evaluator.ts';
import { addUsage, countOf, largerUsage, type Usage } from './usage.ts';

// kubernetes, pkg/quota/v1/evaluator/core/resource_claims.go, without devices by the names of
// extended resources: nothing here gives them out.

const counted = countName('resource.k8s.io', 'resourceclaims');
const ofClass = '.deviceclass.resource.k8s.io/devices';
/** A claim is given so many devices at most (resource.k8s.io/v1, AllocationResultsMaxSize). */
const devicesMax = 32;

/** What one request for devices may be given; of all there are, the most that a claim can have. */
function devicesOf(request: JsonObject): Usage {
  const { allocationMode = 'ExactCount', count = 1 } = request;
  const all = allocationMode === 'All' ? devicesMax : 0;
  const number = allocationMode === 'ExactCount' && typeof count === 'number' ? count : all;
  return new Map([[`${textField(request, 'deviceClassName')}${ofClass}`, countOf(number)]]);
}

function usageOf(claim: JsonObject): Usage {
  let usage: Usage = new Map([[counted, countOf(1)]]);
  const devices = objectField(objectField(claim, 'spec'), 'devices');
  for (const request of listField(devices, 'requests')) {
    const alternatives = listField(request, 'firstAvailable');
    // It will be given one of them, and nobody knows which.
    const worst = alternatives.map(devicesOf).reduce(largerUsage, new Map());
    const { exactly } = request;
    const exact = exactly === undefined ? new Map() : devicesOf(objectField(request, 'exactly'));
    usage = addUsage(usage, alternatives.length > 0 ? worst : exact);
  }
  return usage;
}

/** resource.k8s.io/v1 ResourceClaim. */
export const deviceClaimEvaluator: Evaluator = {
  counts: (name) => name === counted || name.endsWith(ofClass),
  usageOf,
  chargesUpdate: ({ subresource }) => subresource === undefined,
};
