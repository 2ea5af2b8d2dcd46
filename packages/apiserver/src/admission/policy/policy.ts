import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { objectField, textField } from '../../object/object-form.ts';
import { compileMutations, type MutationProgram } from './mutation-program.ts';
import { type PolicyConstraints, parsePolicyConstraints } from './policy-constraints.ts';
import { compilePolicy, type PolicyProgram } from './policy-program.ts';

/** The kind of the objects that configure a policy. */
export interface ParamKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** A policy that has passed validation. */
export interface Policy<Program> {
  readonly name: string;
  /** What happens to the request when an expression has no value. */
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly paramKind: ParamKind | undefined;
  readonly constraints: PolicyConstraints;
  /** Compiled when it is first needed. */
  readonly program: () => Program;
}

/** A ValidatingAdmissionPolicy (KEP-3488). */
export type ValidatingPolicy = Policy<PolicyProgram>;

/** A MutatingAdmissionPolicy (KEP-3962). */
export interface MutatingPolicy extends Policy<MutationProgram> {
  /** Whether it wants to see what was changed after it. */
  readonly isReinvoked: boolean;
}

/** What makes a policy count: a ValidatingAdmissionPolicyBinding or a mutating one. */
export interface PolicyBinding {
  readonly name: string;
  readonly policyName: string;
  readonly paramRef: ParamReference | undefined;
  /** Which of the requests of the policy; none: all. */
  readonly constraints: PolicyConstraints | undefined;
  /** What is done about denials; mutating ones have none. */
  readonly actions: ReadonlySet<string>;
}

/** Which objects configure a policy for a binding; one with neither name nor selector has none. */
export interface ParamReference {
  readonly name: string;
  /** Empty: that of the request. */
  readonly namespace: string;
  readonly selector: JsonObject | undefined;
  /** Whether a request is refused where there is none. */
  readonly isNeeded: boolean;
}

export function parseValidatingPolicy(object: KubeObject): ValidatingPolicy {
  return parsePolicy(object, compilePolicy);
}

export function parseMutatingPolicy(object: KubeObject): MutatingPolicy {
  const { reinvocationPolicy } = objectField(object, 'spec');
  const isReinvoked = reinvocationPolicy === 'IfNeeded';
  return { ...parsePolicy(object, compileMutations), isReinvoked };
}

function parsePolicy<Program>(
  object: KubeObject,
  compile: (spec: JsonObject) => Program,
): Policy<Program> {
  const spec = objectField(object, 'spec');
  const { paramKind } = spec;
  let program: Program | undefined;
  return {
    name: object.metadata.name,
    failurePolicy: spec.failurePolicy === 'Ignore' ? 'Ignore' : 'Fail',
    paramKind: isJsonObject(paramKind)
      ? { apiVersion: textField(paramKind, 'apiVersion'), kind: textField(paramKind, 'kind') }
      : undefined,
    constraints: parsePolicyConstraints(objectField(spec, 'matchConstraints')),
    program: () => {
      program ??= compile(spec);
      return program;
    },
  };
}

export function parseBinding(object: KubeObject): PolicyBinding {
  const spec = objectField(object, 'spec');
  const { matchResources, paramRef, validationActions } = spec;
  return {
    name: object.metadata.name,
    policyName: textField(spec, 'policyName'),
    paramRef: isJsonObject(paramRef) ? parseReference(paramRef) : undefined,
    constraints: isJsonObject(matchResources) ? parsePolicyConstraints(matchResources) : undefined,
    actions: new Set(Array.isArray(validationActions) ? validationActions.map(String) : []),
  };
}

function parseReference(given: JsonObject): ParamReference {
  return {
    name: textField(given, 'name'),
    namespace: textField(given, 'namespace'),
    selector: isJsonObject(given.selector) ? given.selector : undefined,
    isNeeded: given.parameterNotFoundAction !== 'Allow',
  };
}
