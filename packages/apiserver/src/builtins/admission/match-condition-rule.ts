import type { CelComposition } from '@fnlet/schema';
import { expressionProblem } from '../../admission/match-condition.ts';
import { qualifiedName } from '../form.ts';
import { invalid } from '../refusal.ts';
import { all, atMostItems, each, fields, type Rule, required, uniqueBy } from '../rule.ts';

const conditionsMax = 64;

/** The conditions in CEL of a webhook or a policy. */
export function matchConditions(composition: () => CelComposition): Rule {
  const expression: Rule = required((value, path) => {
    const source = String(value).trim();
    if (source === '') return required()('', path);
    const problem = expressionProblem(composition(), source, { types: ['bool'] });
    return problem === undefined ? [] : [invalid(path, source, problem)];
  });
  return all(
    atMostItems(conditionsMax),
    each(fields({ expression, name: required(qualifiedName) })),
    uniqueBy('name'),
  );
}
