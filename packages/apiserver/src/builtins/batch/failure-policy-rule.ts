import { listField, objectField } from '../../object/object-form.ts';
import { labelKey } from '../form.ts';
import { duplicate, invalid, invalidUnshown } from '../refusal.ts';
import {
  about,
  all,
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

const rulesMax = 20;
const exitCodesMax = 255;
const conditionsMax = 20;

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

/** What a failed Pod means for its Job (batch/v1 PodFailurePolicy), told of the whole JobSpec. */
export const failurePolicy: Rule = about((spec, path) => {
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
  const rules = fields({ rules: all(atMostItems(rulesMax), each(rule)) });
  return rules(spec.podFailurePolicy, child(path, 'podFailurePolicy'));
});
