import { type JsonObject, jsonEqual } from '@fnlet/base';
import type { FieldError } from '@fnlet/machinery';
import { listField } from '../../object/object-form.ts';
import { labelKey } from '../form.ts';
import { duplicate } from '../refusal.ts';
import { all, each, fields, type Rule, required } from '../rule.ts';

// core/v1 TopologySelectorTerm: where the volumes of a class may be.

const distinct: Rule = (values, path) =>
  (Array.isArray(values) ? values : []).flatMap((value: unknown, i, all) =>
    all.indexOf(value) < i ? [duplicate(`${path}[${i}]`, value)] : [],
  );

function repeatedKeys(value: unknown, path: string): readonly FieldError[] {
  const keys = listField({ value }, 'value').map(({ key = '' }) => key);
  return keys.flatMap((key, i) =>
    keys.indexOf(key) < i ? [duplicate(`${path}[${i}].key`, key)] : [],
  );
}

const topologyTerm: Rule = fields({
  matchLabelExpressions: all(
    each(fields({ values: required(distinct), key: labelKey })),
    repeatedKeys,
  ),
});

/** Where volumes may be; no two terms say the same. */
export const topologies: Rule = (value, path) => {
  const terms = listField({ value }, 'value');
  const said = terms.map(termMeaning);
  // Kubernetes compares with as many empty terms as there are terms, besides those before.
  const empty = terms.map(() => ({}));
  return terms.flatMap((term, i) => {
    const at = `${path}[${i}]`;
    const others = [...empty, ...said.slice(0, i)];
    const again = others.filter((other) => jsonEqual(other, said[i]));
    return [
      ...topologyTerm(term, at),
      ...again.map(() => duplicate(`${at}.matchLabelExpressions`, '')),
    ];
  });
};

/** The keys of a term with their values, in whichever order they stand. */
function termMeaning(term: JsonObject): JsonObject {
  const expressions = listField(term, 'matchLabelExpressions').map(({ key = '', values }) => [
    String(key),
    [...new Set(Array.isArray(values) ? values.map(String) : [])].sort(),
  ]);
  return Object.fromEntries(expressions);
}
