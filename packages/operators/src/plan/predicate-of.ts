import type { ChangeTest, ChangeTests, NegatableTest, OperatorWhen } from '@fnlet/api';
import { and, cel, generationChanged, not, or, type Predicate } from '@fnlet/sdk/operator';
import { HubError } from '../hub-error.ts';

/**
 * Which changes count, as the operator runtime reads it.
 *
 * @throws HubError `InvalidSpec`
 */
export function predicateOf(when: OperatorWhen | undefined): Predicate {
  return when === undefined ? generationChanged : parse(when);
}

type Test = ChangeTest & Pick<NegatableTest, 'not'> & Pick<ChangeTests, 'and' | 'or'>;

function parse(test: Test | OperatorWhen): Predicate {
  if (test.changes !== undefined) return { type: test.changes };
  if (test.cel !== undefined) return cel(test.cel);
  if (test.not !== undefined) return not(parse(test.not));
  if (test.and !== undefined) return and(...test.and.map(parse));
  if (test.or !== undefined) return or(...test.or.map(parse));
  throw new HubError('InvalidSpec', 'Cannot read spec.when: found an empty test, expected a word');
}

/**
 * Whether changes of nothing but the status never count. Then nobody minds which status an object
 * had when it was last looked at.
 */
export function isBlindToStatus(predicate: Predicate): boolean {
  switch (predicate.type) {
    case 'resourceVersion':
      return false;
    case 'cel':
      return !/\bstatus\b|\[/.test(predicate.expression);
    case 'not':
      return isBlindToStatus(predicate.of);
    case 'and':
    case 'or':
      return predicate.of.every(isBlindToStatus);
    default:
      return true;
  }
}
