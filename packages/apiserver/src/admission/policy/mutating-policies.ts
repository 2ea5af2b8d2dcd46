import { jsonEqual } from '@fnlet/base';
import type { FieldType, KubeObject } from '@fnlet/machinery';
import { builtinTypes } from '../../builtins/facts/builtin-schema.ts';
import type { Resource } from '../../resource/resource.ts';
import { type AdmissionAttributes, isExempt, showsOwnKind } from '../admission-attributes.ts';
import { convertObject, showAs } from '../admission-world.ts';
import type { MutationRound, Reinvocation } from '../reinvocation.ts';
import type { Mutation } from './mutation.ts';
import { Policies } from './policies.ts';
import { type MutatingPolicy, parseMutatingPolicy } from './policy.ts';
import { misconfigured, type PolicyFailure, refusal } from './policy-failure.ts';
import { type Invocation, PolicyInvocations, type PolicyPorts } from './policy-invocations.ts';
import { settleMutated } from './settle-mutated.ts';

/**
 * Lets the MutatingAdmissionPolicies change what is written (KEP-3962).
 *
 * I1. A policy counts by its bindings, each for itself, and once for each object that configures
 *     it; each invocation sees what those before it made of the object.
 * I2. Who is asked is decided before anything is changed, but for the conditions of a policy.
 * I3. A mutation that fails changes nothing, and does not keep others from theirs: every failure
 *     is looked for before the request is refused.
 * I4. Nobody is asked about policies, webhooks and their bindings themselves.
 */
export class MutatingPolicies {
  readonly #policies: Policies<MutatingPolicy>;
  readonly #invocations: PolicyInvocations;

  constructor(ports: PolicyPorts) {
    this.#policies = new Policies(ports.store, {
      policies: 'mutatingadmissionpolicies',
      bindings: 'mutatingadmissionpolicybindings',
      parse: parseMutatingPolicy,
    });
    this.#invocations = new PolicyInvocations(ports);
  }

  asksAbout(resource: Resource): boolean {
    return this.#policies.current.length > 0 && !isExempt(resource);
  }

  close(): void {
    this.#policies.close();
  }

  /**
   * The object as the policies want it; the same one when none wants a change. A deletion has none.
   *
   * @throws StatusError `Forbidden` or `Invalid` what a policy that fails says, `InternalError`,
   *   `NotFound`
   */
  async mutate(
    attributes: AdmissionAttributes,
    { reinvocation, round }: PolicyRound,
  ): Promise<KubeObject | undefined> {
    if (attributes.object === undefined) return undefined;
    const failures: PolicyFailure[] = [];
    const invocations: Invocation<MutatingPolicy>[] = [];
    for (const bound of this.#policies.current) {
      for (const found of await this.#invocations.find(bound, attributes)) {
        if (found.kind === 'invocation') invocations.push(found);
        else failures.push(misconfigured(found));
      }
    }
    let object: KubeObject | undefined = attributes.object;
    if (invocations.length > 0) {
      reinvocation.begin(object, round);
      object = await this.#mutateBy(invocations, attributes, { reinvocation, failures });
      reinvocation.end(object);
    }
    const counting = failures.filter(({ policy }) => policy.failurePolicy === 'Fail');
    if (counting.length > 0) throw refusal(attributes, counting);
    return object;
  }

  async #mutateBy(
    invocations: readonly Invocation<MutatingPolicy>[],
    attributes: AdmissionAttributes,
    { reinvocation, failures }: Progress,
  ): Promise<KubeObject | undefined> {
    let { object } = attributes;
    let isTouched = false;
    for (const invocation of invocations) {
      const current = { ...attributes, object };
      const shown = await showAs(current, invocation.seenAs);
      const before = shown.object;
      const { policy, binding } = invocation;
      const values = await this.#invocations.values(invocation, current, shown);
      const met = policy.program().conditions.decide(() => values);
      if (met === 'unmet') continue;
      if (met !== 'met') {
        failures.push({ policy, binding, message: met.problem, reason: 'Invalid' });
        continue;
      }
      const key = keyOf(invocation);
      if (!reinvocation.isDue(key)) continue;
      const fail = (message: string): void => {
        failures.push({ policy, binding, message, reason: 'Invalid' });
      };
      const outcome = await this.#run(invocation, { current, shown, fail });
      isTouched ||= outcome.isTouched;
      const after = outcome.object;
      if (after !== before) {
        reinvocation.changed();
        object = after && (await this.#showBack(after, invocation.seenAs, attributes));
      }
      if (policy.isReinvoked) reinvocation.asked(key);
    }
    // Upstream takes an object for changed that a mutation was at, whatever came of it.
    if (isTouched) reinvocation.changed();
    return object;
  }

  /** Every mutation of one invocation; where one fails, the others go on without it. */
  async #run(
    invocation: Invocation<MutatingPolicy>,
    { current, shown, fail }: Run,
  ): Promise<{ readonly object: KubeObject | undefined; readonly isTouched: boolean }> {
    let { object } = shown;
    let isTouched = false;
    for (const mutation of invocation.policy.program().mutations) {
      if (object === undefined) break;
      const seen = { ...shown, object };
      const values = await this.#invocations.values(invocation, current, seen);
      const changed = mutated(mutation, object, { invocation, seen, values });
      if ('problem' in changed) {
        fail(changed.problem);
        continue;
      }
      isTouched = true;
      // What is the same must stay the same object: nothing has happened then.
      object = jsonEqual(object, changed.object) ? object : changed.object;
    }
    return { object, isTouched };
  }

  async #showBack(
    object: KubeObject,
    seenAs: Resource,
    attributes: AdmissionAttributes,
  ): Promise<KubeObject> {
    const { resource } = attributes;
    if (seenAs === resource || !showsOwnKind(attributes)) return object;
    return await convertObject(object, seenAs, resource);
  }
}

/** One of the two times that policies are asked about a request. */
export interface PolicyRound {
  readonly reinvocation: Reinvocation<string>;
  readonly round: MutationRound;
}

interface Progress {
  readonly reinvocation: Reinvocation<string>;
  readonly failures: PolicyFailure[];
}

interface Run {
  /** The request as it is now, and as the policy sees it. */
  readonly current: AdmissionAttributes;
  readonly shown: AdmissionAttributes;
  readonly fail: (message: string) => void;
}

function mutated(
  mutation: Mutation,
  object: KubeObject,
  {
    invocation: { seenAs },
    seen,
    values,
  }: {
    readonly invocation: Invocation<MutatingPolicy>;
    readonly seen: AdmissionAttributes;
    readonly values: Parameters<Mutation['change']>[1]['values'];
  },
): { readonly object: KubeObject } | { readonly problem: string } {
  const isOwnKind = showsOwnKind({ ...seen, resource: seenAs });
  const type: FieldType = isOwnKind
    ? seenAs.schema.fieldType
    : builtinTypes.fieldType(scaleMessage);
  const changed = mutation.change(object, { values, type });
  if ('problem' in changed) return changed;
  if (changed.object === object) return { object };
  return settleMutated(changed.object, { resource: isOwnKind ? seenAs : undefined, mutation });
}

/** The only kind besides its own as which an object is shown. */
const scaleMessage = 'autoscaling.v1.Scale';

/** Names an invocation for as long as a request lasts. */
function keyOf({ policy, binding, params }: Invocation<MutatingPolicy>): string {
  const { namespace = '', name = '' } = params?.metadata ?? {};
  return [policy.name, binding.name, namespace, name].join('/');
}
