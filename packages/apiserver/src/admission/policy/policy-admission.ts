import { errorMessage } from '@fnlet/base';
import { type KubeObject, StatusError, type StatusReason, statusCodes } from '@fnlet/machinery';
import { forbidden } from '../../answer/status-texts.ts';
import type { ApiContext } from '../../api-context.ts';
import type { Resource } from '../../resource/resource.ts';
import { type AdmissionAttributes, isExempt } from '../admission-attributes.ts';
import { expressionValues } from '../admission-expressions.ts';
import { reviewRequest } from '../admission-review.ts';
import { createMatchWorld, readNamespace, showAs } from '../admission-world.ts';
import type { MatchWorld } from '../match-request.ts';
import { type BoundPolicy, Policies } from './policies.ts';
import type { PolicyBinding, ValidatingPolicy } from './policy.ts';
import { matchPolicy } from './policy-constraints.ts';
import { findParamResource, readParams } from './policy-params.ts';
import type { PolicyDenial } from './policy-program.ts';

type Ports = Pick<ApiContext, 'store' | 'catalog' | 'access'>;

/**
 * Asks the ValidatingAdmissionPolicies about writes (KEP-3488).
 *
 * I1. A policy counts by its bindings, each for itself; one without any counts for nothing.
 * I2. Every denial of a request is looked for before it is refused, as a warning must not hang on
 *     the refusal by another; the first one is told.
 * I3. Nobody is asked about policies, webhooks and their bindings themselves.
 */
export class PolicyAdmission {
  readonly #ports: Ports;
  readonly #policies: Policies;
  readonly #world: MatchWorld;

  constructor(ports: Ports) {
    this.#ports = ports;
    this.#policies = new Policies(ports.store);
    this.#world = createMatchWorld(ports);
  }

  asksAbout(resource: Resource): boolean {
    return this.#policies.current.length > 0 && !isExempt(resource);
  }

  close(): void {
    this.#policies.close();
  }

  /** @throws StatusError what a policy that does not allow it says */
  async validate(attributes: AdmissionAttributes): Promise<void> {
    const refusals: StatusError[] = [];
    for (const bound of this.#policies.current) {
      for (const { binding, denial } of await this.#denials(bound, attributes)) {
        const by = { policy: bound.policy, binding };
        if (binding === undefined || binding.actions.has('Deny')) {
          refusals.push(refusal(attributes, by, denial));
        }
        if (binding?.actions.has('Warn')) attributes.warn(warning(by, denial));
      }
    }
    const [first] = refusals;
    if (first !== undefined) throw first;
  }

  async #denials(
    { policy, bindings }: BoundPolicy,
    attributes: AdmissionAttributes,
  ): Promise<readonly Denied[]> {
    const misconfigured = (error: unknown, binding?: PolicyBinding): readonly Denied[] => {
      if (policy.failurePolicy === 'Ignore') return [];
      const what = binding === undefined ? 'policy' : 'binding';
      const message = `failed to configure ${what}: ${errorMessage(error)}`;
      return [{ binding: binding && denying(binding), denial: { message, reason: 'Invalid' } }];
    };
    let seenAs: Resource | undefined;
    try {
      seenAs = matchPolicy(policy.constraints, attributes, this.#world);
    } catch (error) {
      return misconfigured(error);
    }
    if (seenAs === undefined) return [];
    const { paramKind } = policy;
    const params = paramKind && findParamResource(this.#ports, paramKind);
    if (paramKind !== undefined && params === undefined) {
      const shown = `${paramKind.apiVersion}, Kind=${paramKind.kind}`;
      return misconfigured(`failed to find resource referenced by paramKind: '${shown}'`);
    }
    const denied: Denied[] = [];
    for (const binding of bindings) {
      try {
        if (!this.#concerns(binding, attributes)) continue;
        const objects = await this.#params(binding, params, attributes.namespace);
        denied.push(...(await this.#evaluate({ policy, binding, objects, seenAs, attributes })));
      } catch (error) {
        denied.push(...misconfigured(error, binding));
      }
    }
    return denied;
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

  async #evaluate({
    policy,
    binding,
    objects,
    seenAs,
    attributes,
  }: {
    readonly policy: ValidatingPolicy;
    readonly binding: PolicyBinding;
    readonly objects: readonly (KubeObject | undefined)[];
    readonly seenAs: Resource;
    readonly attributes: AdmissionAttributes;
  }): Promise<readonly Denied[]> {
    if (objects.length === 0) return [];
    const shown = await showAs(attributes, seenAs);
    const { object, oldObject, uid, ...request } = reviewRequest({ attributes, seenAs, shown }, '');
    const namespace = this.#namespaceOf(attributes);
    const decide = await this.#ports.access.decider();
    return objects.flatMap((params) => {
      const values = expressionValues({ shown, request, namespace, params, decide });
      const denials = policy.program().evaluate(values, policy.failurePolicy);
      return denials.map((denial) => ({ binding, denial }));
    });
  }

  /** Where the object lies; a Namespace lies in none. @throws StatusError `NotFound` */
  #namespaceOf({ resource, namespace }: AdmissionAttributes): KubeObject | undefined {
    if (!resource.strategy.type.namespaced || namespace === '') return undefined;
    return readNamespace(this.#ports, namespace);
  }
}

/** Something that is wrong with a request; no binding: with the policy itself. */
interface Denied {
  readonly binding: PolicyBinding | undefined;
  readonly denial: PolicyDenial;
}

/** A binding that cannot be asked refuses, whatever it would do else. */
function denying(binding: PolicyBinding): PolicyBinding {
  return { ...binding, actions: new Set(['Deny']) };
}

interface By {
  readonly policy: ValidatingPolicy;
  readonly binding: PolicyBinding | undefined;
}

function warning({ policy, binding }: By, { message }: PolicyDenial): string {
  const name = `'${policy.name}' with binding '${binding?.name}'`;
  return `Validation failed for ValidatingAdmissionPolicy ${name}: ${message}`;
}

/** The Status of a refusal (apiserver, admission/plugin/policy/validating). */
function refusal(
  { resource, name }: AdmissionAttributes,
  { policy, binding }: By,
  { message, reason }: PolicyDenial,
): StatusError {
  const by = binding === undefined ? '' : ` with binding '${binding.name}'`;
  const text = `ValidatingAdmissionPolicy '${policy.name}'${by} denied request: ${message}`;
  const causes = [{ message: text }];
  const { status } = forbidden(resource.strategy.type, name, { text, causes });
  return new StatusError({ ...status, reason, code: codeOf(reason) });
}

function codeOf(reason: StatusReason): number {
  return statusCodes[reason];
}
