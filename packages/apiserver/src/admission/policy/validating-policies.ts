import { errorMessage } from '@fnlet/base';
import { StatusError, type StatusReason, statusCodes } from '@fnlet/machinery';
import { forbidden } from '../../answer/status-texts.ts';
import type { Resource } from '../../resource/resource.ts';
import { type AdmissionAttributes, isExempt } from '../admission-attributes.ts';
import { showAs } from '../admission-world.ts';
import { type BoundPolicy, Policies } from './policies.ts';
import { type PolicyBinding, parseValidatingPolicy, type ValidatingPolicy } from './policy.ts';
import {
  type Invocation,
  type Misconfiguration,
  misconfiguration,
  PolicyInvocations,
  type PolicyPorts,
} from './policy-invocations.ts';
import type { PolicyDenial } from './policy-program.ts';

/**
 * Asks the ValidatingAdmissionPolicies about writes (KEP-3488).
 *
 * I1. A policy counts by its bindings, each for itself; one without any counts for nothing.
 * I2. Every denial of a request is looked for before it is refused, as a warning must not hang on
 *     the refusal by another; the first one is told.
 * I3. Nobody is asked about policies, webhooks and their bindings themselves.
 */
export class ValidatingPolicies {
  readonly #policies: Policies<ValidatingPolicy>;
  readonly #invocations: PolicyInvocations;

  constructor(ports: PolicyPorts) {
    this.#policies = new Policies(ports.store, {
      policies: 'validatingadmissionpolicies',
      bindings: 'validatingadmissionpolicybindings',
      parse: parseValidatingPolicy,
    });
    this.#invocations = new PolicyInvocations(ports);
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
    bound: BoundPolicy<ValidatingPolicy>,
    attributes: AdmissionAttributes,
  ): Promise<readonly Denied[]> {
    const denied: Denied[] = [];
    for (const found of await this.#invocations.find(bound, attributes)) {
      const { policy, binding } = found;
      if (found.kind === 'misconfiguration') {
        denied.push(...misconfigured(found));
        continue;
      }
      try {
        denied.push(...(await this.#evaluate(found, attributes)));
      } catch (error) {
        denied.push(...misconfigured(misconfiguration(policy, binding, errorMessage(error))));
      }
    }
    return denied;
  }

  async #evaluate(
    invocation: Invocation<ValidatingPolicy>,
    attributes: AdmissionAttributes,
  ): Promise<readonly Denied[]> {
    const { policy, binding, seenAs } = invocation;
    const shown = await showAs(attributes, seenAs);
    const values = await this.#invocations.values(invocation, attributes, shown);
    const denials = policy.program().evaluate(values, policy.failurePolicy);
    return denials.map((denial) => ({ binding, denial }));
  }
}

/** Something that is wrong with a request; no binding: with the policy itself. */
interface Denied {
  readonly binding: PolicyBinding | undefined;
  readonly denial: PolicyDenial;
}

function misconfigured({
  policy,
  binding,
  message,
}: Misconfiguration<ValidatingPolicy>): readonly Denied[] {
  if (policy.failurePolicy === 'Ignore') return [];
  return [{ binding: binding && denying(binding), denial: { message, reason: 'Invalid' } }];
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
