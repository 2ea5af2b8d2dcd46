import type { JsonObject } from '@fnlet/base';
import type { Resource } from '../../resource/resource.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';
import { findResource, type MatchWorld, matchRequest } from '../match-request.ts';
import {
  parseConstraints,
  parseRules,
  type RequestConstraints,
  type RequestRule,
} from '../request-constraints.ts';

/** Which requests a policy or one of its bindings is about (MatchResources). */
export interface PolicyConstraints extends RequestConstraints {
  /** What is not meant, whatever the other rules say. */
  readonly excluded: readonly RequestRule[];
}

const everything: RequestRule = {
  ...{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] },
  ...{ names: [], scope: '*' },
};

export function parsePolicyConstraints(given: JsonObject): PolicyConstraints {
  const { rules, ...rest } = parseConstraints(given, 'resourceRules');
  return {
    ...rest,
    rules: rules.length === 0 ? [everything] : rules,
    excluded: parseRules(given, 'excludeResourceRules'),
  };
}

/**
 * The resource as which a policy is to see the request; `undefined` where it is not asked
 * (apiserver, admission/plugin/policy/matching).
 *
 * @throws StatusError `NotFound` (the Namespace whose labels are asked for)
 */
export function matchPolicy(
  constraints: PolicyConstraints,
  attributes: AdmissionAttributes,
  world: MatchWorld,
): Resource | undefined {
  const { excluded, isExact } = constraints;
  const isExcluded =
    excluded.length > 0 && findResource({ rules: excluded, isExact }, attributes, world);
  return isExcluded ? undefined : matchRequest(constraints, attributes, world);
}
