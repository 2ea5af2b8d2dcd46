import type { Client } from '@fnlet/client';
import type { Operator } from '@fnlet/sdk/operator';
import { requireRoundsMax } from '../limits.ts';
import { ReconcileError } from '../reconcile-error.ts';
import { type ParsedAnswer, parseAnswer } from './parse-answer.ts';
import { reconcileRequest, type Situation } from './reconcile-request.ts';
import { RequiredObjects } from './required-objects.ts';

/**
 * Asks a function of an operator, and again with the objects that its answer requires, until it
 * needs no further ones.
 *
 * @throws ReconcileError `TooManyRequirements` when it always asks for more; whatever it throws
 */
export async function answerOf(
  ask: Operator['reconcile'],
  situation: Situation,
  client: Client,
): Promise<ParsedAnswer> {
  const { primary, context } = situation;
  const required = new RequiredObjects(client, primary.metadata.namespace ?? '');
  for (let round = 1; round <= requireRoundsMax; round++) {
    const answer = parseAnswer(await ask(reconcileRequest(situation, required)));
    if (answer.require.length === 0) return answer;
    await required.fetch(answer.require, context.signal);
  }
  throw new ReconcileError(
    'TooManyRequirements',
    `Cannot reconcile "${primary.metadata.name}": it requires more after ${requireRoundsMax} rounds`,
    { remedy: 'Name everything that is needed in fewer answers' },
  );
}
