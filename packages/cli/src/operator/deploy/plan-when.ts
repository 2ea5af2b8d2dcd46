import type { OperatorWhen } from '@fnlet/api';
import { unreachable } from '@fnlet/base';
import type { Predicate } from '@fnlet/sdk/operator';
import { CliError } from '../../cli-error.ts';
import { exitCodes } from '../../exit-codes.ts';

/** A predicate in which only single tests are negated, and no list stands in one of its own kind. */
type Plain =
  | { readonly type: 'test'; readonly test: NonNullable<OperatorWhen> }
  | { readonly type: 'and' | 'or'; readonly of: readonly Plain[] };

/**
 * A predicate as the kind Operator says it. A definition cannot nest for ever: what is deeper than
 * its schema is turned over until it fits, by the laws of De Morgan, which hold for what cannot be
 * judged, too (Kleene).
 *
 * @throws CliError for `and` in `or` in `and`
 */
export function planWhen(predicate: Predicate): OperatorWhen {
  const plain = flat(plainOf(predicate, false));
  if (plain.type === 'test') return plain.test;
  return list(
    plain.type,
    plain.of.map((part) => {
      if (part.type === 'test') return part.test;
      return list(part.type, part.of.map(testOf));
    }),
  );
}

function list<T>(type: 'and' | 'or', of: readonly T[]): { readonly [K in 'and' | 'or']?: T[] } {
  return type === 'and' ? { and: [...of] } : { or: [...of] };
}

function testOf(plain: Plain): OperatorWhen {
  if (plain.type === 'test') return plain.test;
  const text = 'found "and" and "or" within each other three times, expected twice at most';
  throw new CliError(exitCodes.failed, `Cannot deploy a predicate: ${text}`, {
    remedy: 'Say the inner part as one expression: cel`…`',
  });
}

function plainOf(predicate: Predicate, negated: boolean): Plain {
  switch (predicate.type) {
    case 'generation':
    case 'labels':
    case 'annotations':
    case 'resourceVersion':
      return test({ changes: predicate.type }, negated);
    case 'cel':
      return test({ cel: predicate.expression }, negated);
    case 'not':
      return plainOf(predicate.of, !negated);
    case 'and':
    case 'or': {
      const type = negated === (predicate.type === 'and') ? 'or' : 'and';
      return { type, of: predicate.of.map((part) => plainOf(part, negated)) };
    }
    default:
      return unreachable(predicate);
  }
}

function test(of: NonNullable<OperatorWhen['not']>, negated: boolean): Plain {
  return { type: 'test', test: negated ? { not: of } : of };
}

/** What is all of one part is that part, and a list in a list of its kind is part of that. */
function flat(plain: Plain): Plain {
  if (plain.type === 'test') return plain;
  const of = plain.of.map(flat).flatMap((part) => (part.type === plain.type ? part.of : [part]));
  const [only] = of;
  return only !== undefined && of.length === 1 ? only : { type: plain.type, of };
}
