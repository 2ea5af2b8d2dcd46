import type { JsonObject } from '@fnlet/base';
import {
  compareQuantities,
  type FieldError,
  type KubeObject,
  parseQuantity,
} from '@fnlet/machinery';
import { type Column, nameColumn } from '../../answer/column.ts';
import { objectField, textField } from '../../object/object-form.ts';
import { changeItems, changeSpec } from '../fill.ts';
import { qualifiedName } from '../form.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { containerResourceName, quantityOf, resourceName } from '../pod/resource-rule.ts';
import { forbidden, invalid, missing } from '../refusal.ts';
import { about, all, each, entriesOf, fields, type Rule, required, uniqueBy } from '../rule.ts';

const types = ['Pod', 'Container', 'PersistentVolumeClaim'];

const typeRule: Rule = required((value, path) => {
  const errors = qualifiedName(value, path);
  if (errors.length > 0 || String(value).includes('/') || types.includes(String(value))) {
    return errors;
  }
  return [invalid(path, value, 'must be a standard limit type or fully qualified')];
});

const parts = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'];

/** The names that limits of this type are about. */
const names: Rule = about((limit, path) => {
  const isPod = limit.type === 'Pod' || limit.type === 'Container';
  const name = entriesOf(isPod ? containerResourceName : resourceName);
  return parts.flatMap((part) => name(limit[part], `${path}.${part}`));
});

const noPodDefaults: Rule = about((limit, path) =>
  limit.type !== 'Pod'
    ? []
    : ['default', 'defaultRequest']
        .filter((part) => Object.keys(objectField(limit, part)).length > 0)
        .map((part) => forbidden(`${path}.${part}`, "may not be specified when `type` is 'Pod'")),
);

const someStorage: Rule = about((limit, path) => {
  const isGiven = ['min', 'max'].some((part) => objectField(limit, part).storage !== undefined);
  if (limit.type !== 'PersistentVolumeClaim' || isGiven) return [];
  const why = 'either minimum or maximum storage value is required, but neither was provided';
  return [missing(`${path}.limits`, why)];
});

/** Which part may not exceed which; problems are told at `at`. */
const orders = [
  { low: 'min', high: 'max', at: 'min', text: 'min value L is greater than max value H' },
  {
    low: 'min',
    high: 'defaultRequest',
    at: 'defaultRequest',
    text: 'min value L is greater than default request value H',
  },
  {
    low: 'defaultRequest',
    high: 'max',
    at: 'defaultRequest',
    text: 'default request value L is greater than max value H',
  },
  {
    low: 'defaultRequest',
    high: 'default',
    at: 'defaultRequest',
    text: 'default request value L is greater than default limit value H',
  },
  {
    low: 'min',
    high: 'default',
    at: 'default',
    text: 'min value L is greater than default value H',
  },
  {
    low: 'default',
    high: 'max',
    at: 'default',
    text: 'default value L is greater than max value H',
  },
] as const;

const ordered: Rule = about((limit, path) => {
  const resources = new Set(parts.flatMap((part) => Object.keys(objectField(limit, part))));
  return [...resources].flatMap((name) =>
    orders.flatMap(({ low, high, at, text }): FieldError[] => {
      const least = objectField(limit, low)[name];
      const most = objectField(limit, high)[name];
      const [a, b] = [quantityOf(least), quantityOf(most)];
      if (a === undefined || b === undefined || compareQuantities(a, b) <= 0) return [];
      const value = objectField(limit, at)[name];
      const problem = text.replace('L', String(least)).replace(/H$/, String(most));
      return [invalid(`${path}.${at}[${name}]`, value, problem)];
    }),
  );
});

const one = parseQuantity(1);

const ratios: Rule = about((limit, path) =>
  Object.entries(objectField(limit, 'maxLimitRequestRatio')).flatMap(([name, value]) => {
    const ratio = quantityOf(value);
    if (ratio === undefined || one === undefined || compareQuantities(ratio, one) >= 0) return [];
    const at = `${path}.maxLimitRequestRatio[${name}]`;
    return [invalid(at, value, `ratio ${String(value)} is less than 1`)];
  }),
);

const limits: Rule = all(
  each(all(fields({ type: typeRule }), names, noPodDefaults, someStorage, ordered, ratios)),
  uniqueBy('type'),
);

// For containers: no default means the most there may be, no request means the default, or the
// least there must be (core/v1 defaults).
function limitDefaults(limit: JsonObject): JsonObject {
  if (textField(limit, 'type') !== 'Container') return limit;
  const whole = { ...objectField(limit, 'max'), ...objectField(limit, 'default') };
  const request = {
    ...objectField(limit, 'min'),
    ...whole,
    ...objectField(limit, 'defaultRequest'),
  };
  return {
    ...limit,
    ...(Object.keys(whole).length === 0 ? {} : { default: whole }),
    ...(Object.keys(request).length === 0 ? {} : { defaultRequest: request }),
  };
}

const createdColumn: Column = {
  name: 'Created At',
  type: 'date',
  description: 'When the object was created.',
  cell: (range: KubeObject) => range.metadata.creationTimestamp ?? '',
};

/** core/v1 LimitRange. Pods and their containers are held to it, claims are not. */
export const limitRangeRules: KindRules = {
  kind: 'LimitRange',
  plural: 'limitranges',
  createOnUpdate: true,
  columns: [nameColumn, createdColumn],
  defaults: (range) => changeSpec(range, (spec) => changeItems(spec, 'limits', limitDefaults)),
  validate: validation(fields({ spec: fields({ limits }) })),
};
