import { isJsonObject, type JsonObject } from '@fnlet/base';
import { listField, objectField, textField } from '../../object/object-form.ts';
import { createComposition } from '../admission-expressions.ts';
import { compileConditions, type MatchConditions } from '../match-condition.ts';
import { compileMutation, type Mutation } from './mutation.ts';

/** The expressions of a mutating policy. */
export interface MutationProgram {
  readonly conditions: MatchConditions;
  /** What is changed, one after the other: each sees what those before it made of the object. */
  readonly mutations: readonly Mutation[];
}

/** Compiles the spec of a MutatingAdmissionPolicy: what cannot be compiled fails when it is run. */
export function compileMutations(spec: JsonObject): MutationProgram {
  const composition = createComposition({
    hasParams: isJsonObject(spec.paramKind),
    hasNamed: true,
  });
  for (const variable of listField(spec, 'variables')) {
    composition.define(textField(variable, 'name'), textField(variable, 'expression'));
  }
  const mutations = listField(spec, 'mutations').map((one) => {
    const isJsonPatch = one.patchType === 'JSONPatch';
    const { expression } = objectField(one, isJsonPatch ? 'jsonPatch' : 'applyConfiguration');
    const source = typeof expression === 'string' ? expression : '';
    return compileMutation(composition, isJsonPatch ? 'JSONPatch' : 'ApplyConfiguration', source);
  });
  const conditions = compileConditions(listField(spec, 'matchConditions'), () => composition);
  return { conditions, mutations };
}
