import { isJsonObject, type JsonObject } from '@fnlet/base';
import {
  formatLabelSelector,
  type LabelSelector,
  labelSelectorFromSpec,
  matchesLabels,
} from '@fnlet/machinery';
import { listField, objectField, textField } from '../object/object-form.ts';
import { labelKey, labels, labelValue } from './form.ts';
import { forbidden, invalid, missing } from './refusal.ts';
import { about, each, fields, type Rule, required, whenSet } from './rule.ts';

const operator: Rule = about((requirement, path) => {
  const { values } = requirement;
  const given = Array.isArray(values) && values.length > 0;
  switch (textField(requirement, 'operator')) {
    case 'In':
    case 'NotIn':
      return given
        ? []
        : [missing(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist': {
      const why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      return given ? [forbidden(`${path}.values`, why)] : [];
    }
    default:
      return [
        invalid(`${path}.operator`, requirement.operator ?? '', 'not a valid selector operator'),
      ];
  }
});

const requirement: Rule = (value, path) => [
  ...operator(value, path),
  ...fields({ key: labelKey, values: each(labelValue) })(value, path),
];

/** meta/v1 LabelSelector. */
export const labelSelector: Rule = whenSet(
  fields({ matchLabels: labels, matchExpressions: each(requirement) }),
);

/** A selector that must be there and select something; `kind` is what refuses an empty one. */
export function podSelector(kind: string): Rule {
  return required(emptyRefused(kind));
}

/** A selector that, if it is there, must select something. */
export function emptyRefused(kind: string): Rule {
  return whenSet((value, path) => [
    ...labelSelector(value, path),
    ...(isEmptySelector(value)
      ? [invalid(path, value, `empty selector is invalid for ${kind}`)]
      : []),
  ]);
}

function isEmptySelector(value: unknown): boolean {
  const selector = isJsonObject(value) ? value : {};
  const { matchLabels, matchExpressions } = {
    matchLabels: objectField(selector, 'matchLabels'),
    matchExpressions: listField(selector, 'matchExpressions'),
  };
  return Object.keys(matchLabels).length + matchExpressions.length === 0;
}

/** What a selector means; undefined for one that is missing or means nothing. */
export function selectorOf(value: unknown): LabelSelector | undefined {
  if (!isJsonObject(value)) return undefined;
  const matchExpressions = listField(value, 'matchExpressions').map((expression) => ({
    key: textField(expression, 'key'),
    operator: textField(expression, 'operator'),
    values: texts(expression.values),
  }));
  try {
    return labelSelectorFromSpec({ matchLabels: textMap(value, 'matchLabels'), matchExpressions });
  } catch {
    return undefined;
  }
}

/** Whether labels meet a selector; what means nothing is met by nothing. */
export function selects(selector: unknown, labelsOf: JsonObject): boolean {
  const parsed = selectorOf(selector);
  return parsed !== undefined && matchesLabels(parsed, textMap({ labelsOf }, 'labelsOf'));
}

/** A selector as columns show it. */
export function shownSelector(value: unknown): string {
  const selector = selectorOf(value ?? {});
  if (selector === undefined) return '<error>';
  return selector.requirements.length === 0 ? '<none>' : formatLabelSelector(selector);
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** A field that maps text to text, or an empty one. */
export function textMap(object: JsonObject, field: string): Readonly<Record<string, string>> {
  const entries = Object.entries(objectField(object, field));
  return Object.fromEntries(entries.map(([key, value]) => [key, String(value)]));
}
