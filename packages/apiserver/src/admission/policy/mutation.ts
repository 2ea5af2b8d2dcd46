import { errorMessage, hasCode, isJsonObject } from '@fnlet/base';
import {
  applyJsonPatch,
  type FieldType,
  type KubeObject,
  mergeConfiguration,
  parseJsonPatch,
} from '@fnlet/machinery';
import type { CelComposition, ComposedExpression, CompositionValues } from '@fnlet/schema';
import { policyCostMax } from '../../limits.ts';
import { outOfBudget } from '../match-condition.ts';
import { jsonPatchFailure } from './json-patch-failure.ts';

/** How a mutation says what it changes. */
export type PatchType = 'ApplyConfiguration' | 'JSONPatch';

/** One change that a policy makes. */
export interface Mutation {
  readonly patchType: PatchType;
  /** The object with the change in it; the same one where there is none. */
  change(object: KubeObject, given: MutationInput): Changed;
}

/** What a change is made with. */
export interface MutationInput {
  readonly values: CompositionValues;
  /** How objects of the kind are merged. */
  readonly type: FieldType;
}

/** The object, of which nothing is known yet but what it was, or why it cannot be changed. */
export type Changed = { readonly object: unknown } | { readonly problem: string };

export function compileMutation(
  composition: CelComposition,
  patchType: PatchType,
  source: string,
): Mutation {
  const compiled = compile(composition, source);
  return {
    patchType,
    change: (object, { values, type }) => {
      if ('problem' in compiled) return compiled;
      const { value, problem, cost } = composition.evaluate(values)(compiled);
      // Of each its own, as each is evaluated for itself.
      if (cost > policyCostMax) return { problem: outOfBudget };
      if (problem !== undefined) return { problem };
      return patchType === 'JSONPatch'
        ? patchObject(object, value)
        : mergeObject(object, value, type);
    },
  };
}

function compile(
  composition: CelComposition,
  source: string,
): ComposedExpression | { readonly problem: string } {
  try {
    return composition.compile(source, { hasPatchTypes: true });
  } catch (error) {
    return { problem: `compilation failed: ${errorMessage(error)}` };
  }
}

function patchObject(object: KubeObject, value: unknown): Changed {
  const operations: readonly unknown[] = Array.isArray(value) ? value : [];
  try {
    return { object: applyJsonPatch(object, parseJsonPatch(operations)) };
  } catch (error) {
    // A test that fails is how an expression says that there is nothing to do.
    if (hasCode(error, 'PatchTestFailed')) return { object };
    return { problem: `JSON Patch: ${jsonPatchFailure(object, operations)}` };
  }
}

function mergeObject(object: KubeObject, stated: unknown, type: FieldType): Changed {
  const { apiVersion, kind } = object;
  const configuration = { ...(isJsonObject(stated) ? stated : {}), apiVersion, kind };
  try {
    return { object: mergeConfiguration({ object, configuration, type }) };
  } catch (error) {
    if (!hasCode(error, 'InvalidTypedValue')) throw error;
    return { problem: `error applying patch: ${errorMessage(error)}` };
  }
}
