import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideFailure } from './failure.ts';

const internal = { status: 500, text: 'Internal Server Error' };
function fail(): never {
  throw new Error('unfriendly');
}
const error = (fields: object): Error => Object.assign(new Error('why'), fields);

const vectors: readonly (readonly [string, unknown, object])[] = [
  ['an Error', new Error('secret'), internal],
  ['a string', 'a text', { status: 500, text: 'a text' }],
  ['nothing', undefined, internal],
  ['null', null, internal],
  ['an object that is no Error', { status: 404, message: 'x' }, internal],
  ['an Error with a status', error({ status: 404 }), { status: 404, text: 'why' }],
  ['an Error with a statusCode', error({ statusCode: 503 }), { status: 503, text: 'why' }],
  ['an Error that is not to be shown', error({ status: 404, expose: false }), internal],
  [
    'an Error that is to be shown',
    error({ status: 500, expose: true }),
    { status: 500, text: 'why' },
  ],
  ['an Error with a status that is no failure', error({ status: 200 }), internal],
  ['an Error with a status beyond all', error({ status: 600 }), internal],
  ['an Error with half a status', error({ status: 404.5 }), internal],
  ['a getter that throws', Object.defineProperty(error({}), 'status', { get: fail }), internal],
  ['a Proxy that throws', new Proxy({}, { getPrototypeOf: fail }), internal],
  ['an Error with a status in text', error({ status: '404' }), internal],
];

for (const [name, thrown, expected] of vectors) {
  test(`decideFailure() of ${name}`, () => assert.deepEqual(decideFailure(thrown), expected));
}

test("decideFailure() with Kyma's ways shows a string alone, with Kubeless's nothing", () => {
  const kyma = { status: 500, text: 'Internal server error' };
  assert.deepEqual(decideFailure('a text', 'kyma'), { status: 500, text: 'a text' });
  assert.deepEqual(decideFailure('', 'kyma'), { status: 500, text: '' });
  for (const thrown of [error({ status: 404 }), new Error('secret'), { status: 400 }, undefined]) {
    assert.deepEqual(decideFailure(thrown, 'kyma'), kyma);
    assert.deepEqual(decideFailure(thrown, 'kubeless'), internal);
  }
  assert.deepEqual(decideFailure('a text', 'kubeless'), internal);
});
