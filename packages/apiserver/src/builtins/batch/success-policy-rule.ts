import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { FieldError } from '@fnlet/machinery';
import { listField } from '../../object/object-form.ts';
import { invalid, missing } from '../refusal.ts';
import {
  about,
  all,
  atLeast,
  atMostItems,
  child,
  each,
  fields,
  isUnset,
  type Rule,
  required,
} from '../rule.ts';

const rulesMax = 20;

/** When some of the indexes are enough (batch/v1 SuccessPolicy), told of the whole JobSpec. */
export const successPolicy: Rule = about((spec, path) => {
  const { completions } = spec;
  const at = child(path, 'successPolicy');
  if (isUnset(spec.successPolicy)) return [];
  if (spec.completionMode !== 'Indexed') {
    return [invalid(at, goSuccessPolicy(spec.successPolicy), 'requires indexed completion mode')];
  }
  const why = 'at least one rules must be specified when the successPolicy is specified';
  const rule = about((one, here) =>
    successRuleErrors(one, here, typeof completions === 'number' ? completions : 0),
  );
  const rules = required(all(atMostItems(rulesMax), each(rule)), why);
  return fields({ rules })(spec.successPolicy, at);
});

/** Shown as the Go struct that it is to Kubernetes. */
function goSuccessPolicy(value: unknown): JsonObject {
  const rules = listField(isJsonObject(value) ? value : {}, 'rules');
  return {
    Rules: rules.map(({ succeededIndexes = null, succeededCount = null }) => ({
      SucceededIndexes: succeededIndexes,
      SucceededCount: succeededCount,
    })),
  };
}

function successRuleErrors(rule: JsonObject, path: string, completions: number): FieldError[] {
  const { succeededCount: count, succeededIndexes: indexes } = rule;
  const errors: FieldError[] = [];
  if (isUnset(count) && indexes === undefined) {
    const why = 'at least one of succeededCount or succeededIndexes must be specified';
    errors.push(missing(path, why));
  }
  let total = 0;
  if (typeof indexes === 'string') {
    const counted = countIndexes(indexes, completions);
    if (typeof counted === 'number') total = counted;
    else {
      const problem = `error parsing succeededIndexes: ${counted.problem}`;
      errors.push(invalid(child(path, 'succeededIndexes'), indexes, problem));
    }
  }
  if (typeof count !== 'number') return errors;
  const at = child(path, 'succeededCount');
  errors.push(...atLeast(0)(count, at));
  const atMost = 'must be less than or equal to';
  if (count > completions) {
    const problem = `${atMost} ${completions} (the number of specified completions)`;
    errors.push(invalid(at, count, problem));
  }
  if (typeof indexes === 'string' && count > total) {
    const what = 'the number of indexes in the specified succeededIndexes field';
    errors.push(invalid(at, count, `${atMost} ${total} (${what})`));
  }
  return errors;
}

/** How many indexes a list such as `0,2-4` has, or what is wrong with it. */
function countIndexes(text: string, completions: number): number | { readonly problem: string } {
  if (text === '') return 0;
  let last = -1;
  let total = 0;
  for (const part of text.split(',')) {
    const limits = part.split('-');
    if (limits.length > 2) {
      const rule = "an index interval can have at most two parts separated by '-'";
      return { problem: `the fragment "${part}" violates the requirement that ${rule}` };
    }
    const bad = limits.find((limit) => !/^[+-]?\d+$/.test(limit));
    if (bad !== undefined) {
      return { problem: `cannot convert string to integer for index: ${JSON.stringify(bad)}` };
    }
    const large = limits.find((limit) => Number(limit) >= completions);
    if (large !== undefined) return { problem: `too large index: ${JSON.stringify(large)}` };
    const [first = 0, end = first] = limits.map(Number);
    if (limits.length > 1 && first >= end) return { problem: notIncreasing(first, end) };
    if (last >= first && total > 0) return { problem: notIncreasing(last, first) };
    total += end - first + 1;
    last = end;
  }
  return total;
}

function notIncreasing(previous: number, current: number): string {
  return `non-increasing order, previous: ${previous}, current: ${current}`;
}
