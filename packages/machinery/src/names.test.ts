import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seededRandom } from '@fnlet/base';
import { generateName, type NameRule, qualifiedNameProblems, validateName } from './names.ts';

describe('validateName()', () => {
  const good: readonly [rule: NameRule, name: string][] = [
    ['dns1123Subdomain', 'a.b-c.1'],
    ['dns1123Subdomain', 'a'.repeat(253)],
    ['dns1123Label', '1-a'],
    ['dns1123Label', 'a'.repeat(63)],
    ['dns1035Label', 'a-1'],
    ['pathSegment', 'system:Node A'],
  ];
  for (const [rule, name] of good) {
    test(`${rule} accepts "${name.slice(0, 20)}"`, () => {
      assert.equal(validateName(rule, name), undefined);
    });
  }

  const bad: readonly [rule: NameRule, name: string, problem: string][] = [
    [
      'dns1123Subdomain',
      'Bad_Name',
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
    ['dns1123Subdomain', 'a'.repeat(254), 'must be no more than 253 characters'],
    [
      'dns1123Label',
      'a_b',
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
    ['dns1123Label', 'a.b', 'must not contain dots'],
    ['dns1123Label', 'a'.repeat(64), 'must be no more than 63 characters'],
    ['pathSegment', '..', "may not be '..'"],
    ['pathSegment', 'a/b', "may not contain '/'"],
    ['pathSegment', 'a%b/', "may not contain '/'; may not contain '%'"],
  ];
  for (const [rule, name, problem] of bad) {
    test(`${rule} refuses "${name.slice(0, 20)}" in Kubernetes' words`, () => {
      assert.equal(validateName(rule, name), problem);
    });
  }

  test('never takes long over a bad name', () => {
    assert.notEqual(validateName('dns1123Subdomain', `${'a-'.repeat(50_000)}!`), undefined);
  });
});

test('qualifiedNameProblems() looks at prefix and name', () => {
  assert.deepEqual(qualifiedNameProblems('example.com/My_Name.1'), []);
  assert.deepEqual(qualifiedNameProblems('/a'), ['prefix part must be non-empty']);
  assert.equal(qualifiedNameProblems('').length, 2);
  assert.equal(qualifiedNameProblems('').at(0), 'name part must be non-empty');
  assert.match(qualifiedNameProblems('a/b/c').join(), /^a valid label key must consist/);
  assert.match(qualifiedNameProblems('A_/b').join(), /^prefix part a lowercase RFC 1123 subdomain/);
});

test('generateName() cuts the base so that the name fits a label', () => {
  const random = seededRandom(1);
  assert.match(generateName('web-', random), /^web-[b-z2-9]{5}$/);
  const long = generateName('a'.repeat(80), random);
  assert.equal(long.length, 63);
  assert.notEqual(generateName('web-', random), generateName('web-', random));
});
