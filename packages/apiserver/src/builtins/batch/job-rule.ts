import { isJsonObject, type JsonObject } from '@fnlet/base';
import { type FieldError, nameProblems } from '@fnlet/machinery';
import { listField, objectField, textField } from '../../object/object-form.ts';
import { change, changeItems, fill } from '../fill.ts';
import { domainPrefixedPath, labelKey } from '../form.ts';
import { fillTemplate, podTemplate } from '../pod/pod-template.ts';
import { duplicate, invalid, invalidUnshown, missing, notSupported } from '../refusal.ts';
import {
  about,
  all,
  atLeast,
  atMostItems,
  child,
  each,
  fields,
  isUnset,
  must,
  oneOf,
  type Rule,
  required,
  whenSet,
} from '../rule.ts';

// batch/v1 JobSpec: in a Job, and in the template of one.

const count: Rule = atLeast(0);
const failureRulesMax = 20;
const exitCodesMax = 255;
const conditionsMax = 20;
const successRulesMax = 20;
const indexedMax = 100_000;

/** Pods of a Job end, or are started again in their place; they do not run for ever. */
const endingPolicy: Rule = about((spec, path) => {
  const { restartPolicy } = objectField(objectField(spec, 'template'), 'spec');
  const at = child(path, 'template.spec.restartPolicy');
  if (isUnset(restartPolicy) || restartPolicy === 'Always') {
    return [missing(at, 'valid values: "OnFailure", "Never"')];
  }
  if (restartPolicy !== 'OnFailure' && restartPolicy !== 'Never') {
    return [notSupported(at, restartPolicy, ['OnFailure', 'Never'])];
  }
  if (isUnset(spec.podFailurePolicy) || restartPolicy === 'Never') return [];
  const text = 'only "Never" is supported when podFailurePolicy is specified';
  return [invalid(at, restartPolicy, text)];
});

const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const operators = ['In', 'NotIn'];
const truths = ['False', 'True', 'Unknown'];

/** As Go prints a list of texts. */
function goList(texts: readonly string[]): string {
  return `valid values: [${texts.map((text) => JSON.stringify(text)).join(' ')}]`;
}

function requiredOneOf(known: readonly string[]): Rule {
  return required(oneOf(...known), goList(known));
}

const exitCodeValues: Rule = about(({ operator, values }, path) => {
  const at = child(path, 'values');
  const codes: readonly unknown[] = Array.isArray(values) ? values : [];
  if (codes.length === 0) return [invalid(at, values ?? null, 'at least one value is required')];
  const errors = [...atMostItems(exitCodesMax)(codes, at)];
  const seen = new Set<unknown>();
  for (const [i, code] of codes.entries()) {
    const here = `${at}[${i}]`;
    if (operator === 'In' && code === 0) {
      errors.push(invalid(here, code, 'must not be 0 for the In operator'));
    }
    if (seen.has(code)) errors.push(duplicate(here, code));
    seen.add(code);
  }
  const isOrdered = codes.every((code, i) => i === 0 || Number(codes[i - 1]) <= Number(code));
  return isOrdered ? errors : [...errors, invalid(at, values, 'must be ordered')];
});

function exitCodes(containers: ReadonlySet<unknown>): Rule {
  const known = must(
    (name) => containers.has(name),
    'must be one of the container or initContainer names in the pod template',
  );
  return whenSet(
    all(fields({ operator: requiredOneOf(operators), containerName: known }), exitCodeValues),
  );
}

const podConditions: Rule = all(
  atMostItems(conditionsMax),
  each(fields({ type: labelKey, status: requiredOneOf(truths) })),
);

const oneReason: Rule = about(({ onExitCodes, onPodConditions }, path) => {
  const hasConditions = Array.isArray(onPodConditions) && onPodConditions.length > 0;
  if (!isUnset(onExitCodes) && hasConditions) {
    const text = 'specifying both OnExitCodes and OnPodConditions is not supported';
    return [invalidUnshown(path, text)];
  }
  if (!isUnset(onExitCodes) || hasConditions) return [];
  return [invalidUnshown(path, 'specifying one of OnExitCodes and OnPodConditions is required')];
});

/** What a failed Pod means for its Job. */
const failurePolicy: Rule = about((spec, path) => {
  if (isUnset(spec.podFailurePolicy)) return [];
  const pod = objectField(objectField(spec, 'template'), 'spec');
  const containers = [...listField(pod, 'containers'), ...listField(pod, 'initContainers')];
  const perIndex: Rule = (action, at) =>
    action === 'FailIndex' && isUnset(spec.backoffLimitPerIndex)
      ? [invalid(at, action, 'requires the backoffLimitPerIndex to be set')]
      : [];
  const rule = all(
    fields({
      action: all(requiredOneOf(actions), perIndex),
      onExitCodes: exitCodes(new Set(containers.map(({ name }) => name))),
      onPodConditions: podConditions,
    }),
    oneReason,
  );
  const rules = fields({ rules: all(atMostItems(failureRulesMax), each(rule)) });
  return rules(spec.podFailurePolicy, child(path, 'podFailurePolicy'));
});

/** When some of the indexes are enough. */
const successPolicy: Rule = about((spec, path) => {
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
  const rules = required(all(atMostItems(successRulesMax), each(rule)), why);
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
  const atMost = `must be less than or equal to`;
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

/** The rules of a Job whose Pods have indexes, and of one whose Pods have none. */
const indexed: Rule = about((spec, path) => {
  const { completionMode, completions, parallelism, maxFailedIndexes } = spec;
  const refuse = (field: string, problem: string): FieldError =>
    invalid(child(path, field), spec[field], problem);
  if (completionMode !== 'Indexed') {
    return ['backoffLimitPerIndex', 'maxFailedIndexes']
      .filter((field) => completionMode === 'NonIndexed' && !isUnset(spec[field]))
      .map((field) => refuse(field, 'requires indexed completion mode'));
  }
  const errors: FieldError[] = [];
  if (isUnset(completions)) {
    errors.push(missing(child(path, 'completions'), 'when completion mode is Indexed'));
  }
  if (Number(parallelism) > indexedMax) {
    const problem = `must be less than or equal to ${indexedMax} when completion mode is Indexed`;
    errors.push(refuse('parallelism', problem));
  }
  if (typeof maxFailedIndexes !== 'number') return errors;
  if (typeof completions === 'number' && maxFailedIndexes > completions) {
    errors.push(refuse('maxFailedIndexes', 'must be less than or equal to completions'));
  }
  if (maxFailedIndexes > indexedMax) {
    errors.push(refuse('maxFailedIndexes', `must be less than or equal to ${indexedMax}`));
  }
  return errors;
});

const limitedPerIndex: Rule = about((spec, path) =>
  isUnset(spec.maxFailedIndexes) || !isUnset(spec.backoffLimitPerIndex)
    ? []
    : [missing(child(path, 'backoffLimitPerIndex'), 'when maxFailedIndexes is specified')],
);

/** Told at the whole spec, as Kubernetes does for one of the two. */
const replacement: Rule = about((spec, path) => {
  const known = isUnset(spec.podFailurePolicy) ? ['Failed', 'TerminatingOrFailed'] : ['Failed'];
  return oneOf(...known)(spec.podReplacementPolicy, child(path, 'podReplacementPolicy'));
});

/** What a Job is, but for its selector. */
export const jobSpec: Rule = all(
  fields({
    parallelism: count,
    completions: count,
    activeDeadlineSeconds: count,
    backoffLimit: count,
    ttlSecondsAfterFinished: count,
    backoffLimitPerIndex: count,
    maxFailedIndexes: count,
    completionMode: oneOf('NonIndexed', 'Indexed'),
    managedBy: domainPrefixedPath,
  }),
  limitedPerIndex,
  indexed,
  failurePolicy,
  successPolicy,
  replacement,
  fields({ template: podTemplate }),
  endingPolicy,
);

/** Pods of an indexed Job are called after it and their index, which must be the name of a host. */
export const hostNames: Rule = about((job) => {
  const { completionMode, completions } = objectField(job, 'spec');
  if (completionMode !== 'Indexed' || typeof completions !== 'number' || completions < 1) return [];
  const name = textField(objectField(job, 'metadata'), 'name');
  const last = `${name}-${completions - 1}`;
  if (nameProblems('dns1123Label', last).length === 0) return [];
  const problem = `will not able to create pod with invalid DNS label: ${last}`;
  return [invalid('metadata.name', name, problem)];
});

/** What a Job is, with its defaults. */
export function jobSpecDefaults(spec: JsonObject): JsonObject {
  const { completions, parallelism } = spec;
  const isSingle = isUnset(completions) && isUnset(parallelism);
  const hasPolicy = !isUnset(spec.podFailurePolicy);
  const policed = change(spec, 'podFailurePolicy', (policy) =>
    changeItems(policy, 'rules', (rule) =>
      changeItems(rule, 'onPodConditions', (pattern) => fill(pattern, { status: 'True' })),
    ),
  );
  return fillTemplate(
    fill(policed, {
      parallelism: 1,
      ...(isSingle ? { completions: 1 } : {}),
      backoffLimit: isUnset(spec.backoffLimitPerIndex) ? 6 : 2_147_483_647,
      completionMode: 'NonIndexed',
      suspend: false,
      manualSelector: false,
      podReplacementPolicy: hasPolicy ? 'Failed' : 'TerminatingOrFailed',
    }),
  );
}

/** The conditions of a Job that are true. */
export function trueConditions(status: JsonObject): ReadonlySet<unknown> {
  const conditions = listField(status, 'conditions');
  return new Set(conditions.filter((one) => one.status === 'True').map(({ type }) => type));
}
