import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queryValues, withoutParameters } from './query-parameters.ts';

test('withoutParameters() takes out a parameter in every spelling, and nothing else', () => {
  for (const [target, expected] of [
    ['/a', '/a'],
    ['/a?', '/a?'],
    ['/a?key=1', '/a'],
    ['/a?key', '/a'],
    ['/a?b=1&key=2&c=%20+3', '/a?b=1&c=%20+3'],
    ['/a?key=1&key=2&b', '/a?b'],
    ['/a?%6Bey=1&b=key', '/a?b=key'],
    ['/a?Key=1', '/a?Key=1'],
    ['/a?xkey=1&key2=2', '/a?xkey=1&key2=2'],
    ['/a?b=1&&c', '/a?b=1&&c'],
    ['/key=1?b', '/key=1?b'],
    ['/a?b=?key=1', '/a?b=?key=1'],
    ['/a?%zz=1&key=2', '/a?%zz=1'],
  ] as const) {
    assert.equal(withoutParameters(target, ['key']), expected, target);
  }
  assert.equal(withoutParameters('/a?key=1&other=2', ['key', 'other']), '/a');
  assert.equal(withoutParameters('/a?key=1'), '/a?key=1');
});

test('what withoutParameters() leaves holds no value that queryValues() finds', () => {
  for (const target of ['/?key=1&k%65y=2&+key=3&key+=4', '/?;key=1', '/?a&key=&&key']) {
    assert.deepEqual(queryValues(withoutParameters(target, ['key']), 'key'), []);
  }
});
