import { errorMessage } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import type { CompositionValues } from '@fnlet/schema';
import type { ApiContext } from '../../api-context.ts';
import type { Resource } from '../../resource/resource.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';
import { expressionValues } from '../admission-expressions.ts';
import { reviewRequest } from '../admission-review.ts';
import { createMatchWorld, readNamespace } from '../admission-world.ts';
import type { MatchWorld } from '../match-request.ts';
import type { BoundPolicy } from './policies.ts';
import type { Policy, PolicyBinding } from './policy.ts';
import { matchPolicy } from './policy-constraints.ts';
import { findParamResource, readParams } from './policy-params.ts';

/** What asking policies takes. */
export type PolicyPorts = Pick<ApiContext, 'store' | 'catalog' | 'access'>;

/** A policy that is to be asked about a request: for one binding, and one object at most. */
export interface Invocation<P> {
  readonly kind: 'invocation';
  readonly policy: P;
  readonly binding: PolicyBinding;
  /** What configures the policy. */
  readonly params: KubeObject | undefined;
  /** As which the policy is to see the request. */
  readonly seenAs: Resource;
}

/** A policy that would be asked if it were known how. */
export interface Misconfiguration<P> {
  readonly kind: 'misconfiguration';
  readonly policy: P;
  /** Absent: the policy itself is wrong. */
  readonly binding: PolicyBinding | undefined;
  /** In upstream's words. */
  readonly message: string;
}

/** Finds out who is asked about requests (apiserver, admission/plugin/policy/generic). */
export class PolicyInvocations {
  readonly #ports: PolicyPorts;
  readonly #world: MatchWorld;

  constructor(ports: PolicyPorts) {
    this.#ports = ports;
    this.#world = createMatchWorld(ports);
  }

  /** How often a policy is asked, in the order of its bindings and of what configures it. */
  async find<P extends Policy<unknown>>(
    { policy, bindings }: BoundPolicy<P>,
    attributes: AdmissionAttributes,
  ): Promise<readonly (Invocation<P> | Misconfiguration<P>)[]> {
    let seenAs: Resource | undefined;
    try {
      seenAs = matchPolicy(policy.constraints, attributes, this.#world);
    } catch (error) {
      return [misconfiguration(policy, undefined, errorMessage(error))];
    }
    if (seenAs === undefined) return [];
    const { paramKind } = policy;
    const resource = paramKind && findParamResource(this.#ports, paramKind);
    if (paramKind !== undefined && resource === undefined) {
      const shown = `${paramKind.apiVersion}, Kind=${paramKind.kind}`;
      const problem = `failed to find resource referenced by paramKind: '${shown}'`;
      return [misconfiguration(policy, undefined, problem)];
    }
    const found: (Invocation<P> | Misconfiguration<P>)[] = [];
    for (const binding of bindings) {
      try {
        if (!this.#concerns(binding, attributes)) continue;
        for (const params of await this.#params(binding, resource, attributes.namespace)) {
          found.push({ kind: 'invocation', policy, binding, params, seenAs });
        }
      } catch (error) {
        found.push(misconfiguration(policy, binding, errorMessage(error)));
      }
    }
    return found;
  }

  /**
   * What the expressions of an invocation are told.
   *
   * @param shown The request with its objects as the policy sees them.
   * @throws StatusError `NotFound`: the Namespace of the object
   */
  async values(
    { seenAs, params }: Pick<Invocation<unknown>, 'seenAs' | 'params'>,
    attributes: AdmissionAttributes,
    shown: AdmissionAttributes,
  ): Promise<CompositionValues> {
    const { object, oldObject, uid, ...request } = reviewRequest({ attributes, seenAs, shown }, '');
    const namespace = this.#namespaceOf(attributes);
    const decide = await this.#ports.access.decider();
    return expressionValues({ shown, request, namespace, params, decide });
  }

  #concerns({ constraints }: PolicyBinding, attributes: AdmissionAttributes): boolean {
    if (constraints === undefined) return true;
    return matchPolicy(constraints, attributes, this.#world) !== undefined;
  }

  /** What configures the policy, one after the other; nothing at all counts as one. */
  async #params(
    { paramRef }: PolicyBinding,
    resource: Resource | undefined,
    namespace: string,
  ): Promise<readonly (KubeObject | undefined)[]> {
    if (resource === undefined || paramRef === undefined) return [undefined];
    const wanted = { resource, reference: paramRef, requestNamespace: namespace };
    return await readParams(this.#ports, wanted);
  }

  /** Where the object lies; a Namespace lies in none. @throws StatusError `NotFound` */
  #namespaceOf({ resource, namespace }: AdmissionAttributes): KubeObject | undefined {
    if (!resource.strategy.type.namespaced || namespace === '') return undefined;
    return readNamespace(this.#ports, namespace);
  }
}

export function misconfiguration<P>(
  policy: P,
  binding: PolicyBinding | undefined,
  problem: string,
): Misconfiguration<P> {
  const what = binding === undefined ? 'policy' : 'binding';
  const message = `failed to configure ${what}: ${problem}`;
  return { kind: 'misconfiguration', policy, binding, message };
}
