import type { JsonObject } from '@fnlet/base';
import { type FieldError, nameProblems } from '@fnlet/machinery';
import { listField, objectField, textField } from '../../object/object-form.ts';
import { change, changeItems, fill } from '../fill.ts';
import { domainPrefixedPath } from '../form.ts';
import { fillTemplate, podTemplate } from '../pod/pod-template.ts';
import { invalid, missing, notSupported } from '../refusal.ts';
import { about, all, atLeast, child, fields, isUnset, oneOf, type Rule } from '../rule.ts';
import { failurePolicy } from './failure-policy-rule.ts';
import { successPolicy } from './success-policy-rule.ts';

// batch/v1 JobSpec: in a Job, and in the template of one.

const count: Rule = atLeast(0);
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
