import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readVectorFile } from '../../../test/operator-vectors-contract.ts';
import { ContractError } from './contract.ts';
import { parseMapAnswer, parseOperatorAnswer } from './operator-answer.ts';

interface Row {
  readonly name: string;
  readonly answer: unknown;
  readonly read?: object;
  readonly refused?: string;
}

for (const { name, answer, read, refused } of readVectorFile<Row[]>('operator-answers.json')) {
  test(`parseOperatorAnswer() ${refused === undefined ? 'reads' : 'refuses'} ${name}`, () => {
    if (refused === undefined) {
      assert.deepEqual(parseOperatorAnswer(answer), read);
      return;
    }
    assert.throws(() => parseOperatorAnswer(answer), {
      ...{ name: 'ContractError', code: 'InvalidAnswer', message: new RegExp(refused) },
    });
  });
}

test('parseMapAnswer() wants one list of keys for each object', () => {
  const keys = [[{ name: 'a' }], [], [{ name: 'b', namespace: 'c' }]];
  assert.deepEqual(parseMapAnswer({ keys }, 3), { keys });
  assert.deepEqual(parseMapAnswer({ keys: [[{ name: 'a', namespace: null }]] }, 1), {
    keys: [[{ name: 'a' }]],
  });
  const wrong = [undefined, {}, { keys }, { keys: [[{}]] }, { keys: [{ name: 'a' }] }];
  for (const answer of wrong) assert.throws(() => parseMapAnswer(answer, 1), ContractError);
});
