import { isJsonObject, type JsonObject } from '@fnlet/base';
import {
  compareQuantities,
  type FieldError,
  type KubeObject,
  parseQuantity,
} from '@fnlet/machinery';
import { type Column, nameColumn } from '../../answer/column.ts';
import { objectField, textField } from '../../object/object-form.ts';
import { changeItems, changeSpec } from '../fill.ts';
import { labelKey } from '../form.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { containerResourceName, quantityOf, resourceName } from '../pod/resource-rule.ts';
import { forbidden, invalid, missing } from '../refusal.ts';
import { about, all, each, entriesOf, fields, type Rule, uniqueBy } from '../rule.ts';

const types = ['Pod', 'Container', 'PersistentVolumeClaim'];

const typeRule: Rule = (value, path) => {
  const errors = labelKey(value, path);
  if (errors.length > 0 || String(value).includes('/') || types.includes(String(value))) {
    return errors;
  }
  return [invalid(path, value, 'must be a standard limit type or fully qualified')];
};

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

/** Which part may not exceed which; problems are told at `at`, with the value of `shown`. */
const orders = [
  {
    low: 'min',
    high: 'max',
    at: 'min',
    shown: 'min',
    text: 'min value L is greater than max value H',
  },
  {
    low: 'min',
    high: 'defaultRequest',
    at: 'defaultRequest',
    shown: 'defaultRequest',
    text: 'min value L is greater than default request value H',
  },
  {
    low: 'defaultRequest',
    high: 'max',
    at: 'defaultRequest',
    shown: 'defaultRequest',
    text: 'default request value L is greater than max value H',
  },
  {
    low: 'defaultRequest',
    high: 'default',
    at: 'defaultRequest',
    shown: 'defaultRequest',
    text: 'default request value L is greater than default limit value H',
  },
  {
    low: 'min',
    high: 'default',
    at: 'default',
    shown: 'min',
    text: 'min value L is greater than default value H',
  },
  {
    low: 'default',
    high: 'max',
    at: 'default',
    shown: 'max',
    text: 'default value L is greater than max value H',
  },
] as const;

const ordered: Rule = about((limit, path) => {
  const resources = new Set(parts.flatMap((part) => Object.keys(objectField(limit, part))));
  return [...resources].flatMap((name) =>
    orders.flatMap(({ low, high, at, shown, text }): FieldError[] => {
      const least = objectField(limit, low)[name];
      const most = objectField(limit, high)[name];
      const [a, b] = [quantityOf(least), quantityOf(most)];
      if (a === undefined || b === undefined || compareQuantities(a, b) <= 0) return [];
      const value = objectField(limit, shown)[name];
      const problem = text.replace('L', String(least)).replace(/H$/, String(most));
      return [invalid(`${path}.${at}[${name}]`, value, problem)];
    }),
  );
});

const one = parseQuantity(1);

const ratios: Rule = about((limit, path) =>
  Object.entries(objectField(limit, 'maxLimitRequestRatio')).flatMap(([name, value]) => {
    const ratio = quantityOf(value);
    if (ratio === undefined || one === undefined) return [];
    const at = `${path}.maxLimitRequestRatio[${name}]`;
    const errors =
      compareQuantities(ratio, one) < 0
        ? [invalid(at, value, `ratio ${String(value)} is less than 1`)]
        : [];
    const [most, least] = [limit.max, limit.min].map((part) =>
      quantityOf(isJsonObject(part) ? part[name] : undefined),
    );
    if (most === undefined || least === undefined) return errors;
    const possible = Number(most.nano) / Number(least.nano);
    if (Number(ratio.nano) / 1e9 <= possible) return errors;
    const problem = `ratio ${String(value)} is greater than max/min = ${possible.toFixed(6)}`;
    return [...errors, invalid(at, value, problem)];
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
