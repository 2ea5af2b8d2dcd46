import type { JsonObject } from '@fnlet/base';
import type { FieldError } from '@fnlet/machinery';
import { listField, objectField } from '../../object/object-form.ts';
import { fill } from '../fill.ts';
import { fillTemplate, podTemplate } from '../pod/pod-template.ts';
import { invalid, missing, notSupported } from '../refusal.ts';
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

/** Pods of a Job end, or are started again in their place; they do not run for ever. */
const endingPolicy: Rule = about((spec, path) => {
  const { restartPolicy } = objectField(objectField(spec, 'template'), 'spec');
  const at = child(path, 'template.spec.restartPolicy');
  if (isUnset(restartPolicy) || restartPolicy === 'Always') {
    return [missing(at, 'valid values: "OnFailure", "Never"')];
  }
  if (restartPolicy === 'OnFailure' || restartPolicy === 'Never') return [];
  return [notSupported(at, restartPolicy, ['OnFailure', 'Never'])];
});

const failureRule = all(
  fields({
    action: required(oneOf('Count', 'FailIndex', 'FailJob', 'Ignore')),
    onExitCodes: whenSet(
      fields({
        operator: required(oneOf('In', 'NotIn')),
        values: required(atMostItems(exitCodesMax)),
      }),
    ),
    onPodConditions: each(fields({ type: required(), status: oneOf('False', 'True', 'Unknown') })),
  }),
  about(({ onExitCodes, onPodConditions }, path) => {
    const hasConditions = Array.isArray(onPodConditions) && onPodConditions.length > 0;
    if (!isUnset(onExitCodes) && hasConditions) {
      const text = 'specifying both OnExitCodes and OnPodConditions is not supported';
      return [invalid(path, '', text)];
    }
    if (!isUnset(onExitCodes) || hasConditions) return [];
    return [invalid(path, '', 'specifying one of OnExitCodes and OnPodConditions is required')];
  }),
);

const indexed: Rule = about((spec, path) => {
  const { completionMode, completions } = spec;
  const errors: FieldError[] = [];
  if (completionMode === 'Indexed' && isUnset(completions)) {
    errors.push(missing(child(path, 'completions'), 'when completion mode is Indexed'));
  }
  if (completionMode === 'Indexed' || isUnset(spec.backoffLimitPerIndex)) return errors;
  const at = child(path, 'backoffLimitPerIndex');
  return [...errors, invalid(at, spec.backoffLimitPerIndex, 'requires indexed completion mode')];
});

const onlyWhenNever: Rule = about((spec, path) => {
  const { restartPolicy } = objectField(objectField(spec, 'template'), 'spec');
  if (isUnset(spec.podFailurePolicy) || restartPolicy === 'Never') return [];
  const text = 'only "Never" is supported when podFailurePolicy is specified';
  return [invalid(child(path, 'template.spec.restartPolicy'), restartPolicy, text)];
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
    podReplacementPolicy: oneOf('Failed', 'TerminatingOrFailed'),
    managedBy: must(
      (value) => /^[a-z0-9.-]+\/\S+$/.test(String(value)),
      'must be a domain-prefixed path (such as "acme.io/foo")',
    ),
  }),
  indexed,
  fields({
    podFailurePolicy: whenSet(
      fields({ rules: all(atMostItems(failureRulesMax), each(failureRule)) }),
    ),
    template: podTemplate,
  }),
  onlyWhenNever,
  endingPolicy,
);

/** What a Job is, with its defaults. */
export function jobSpecDefaults(spec: JsonObject): JsonObject {
  const { completions, parallelism } = spec;
  const isSingle = isUnset(completions) && isUnset(parallelism);
  const hasPolicy = !isUnset(spec.podFailurePolicy);
  return fillTemplate(
    fill(spec, {
      parallelism: 1,
      ...(isSingle ? { completions: 1 } : {}),
      backoffLimit: isUnset(spec.backoffLimitPerIndex) ? 6 : 2_147_483_647,
      completionMode: 'NonIndexed',
      suspend: false,
      podReplacementPolicy: hasPolicy ? 'Failed' : 'TerminatingOrFailed',
    }),
  );
}

/** The conditions of a Job that are true. */
export function trueConditions(status: JsonObject): ReadonlySet<unknown> {
  const conditions = listField(status, 'conditions');
  return new Set(conditions.filter((one) => one.status === 'True').map(({ type }) => type));
}
