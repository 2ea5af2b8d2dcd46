import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatCheck } from './string-format.ts';

const cases: Readonly<Record<string, readonly [good: readonly string[], bad: readonly string[]]>> =
  {
    'date-time': [
      ['2020-01-31T23:59:59Z', '2020-01-31t00:00:00.123+02:00'],
      ['noon', '2020-02-30T00:00:00Z', '2020-01-31T24:00:00Z', '2020-01-31'],
    ],
    date: [['2024-02-29'], ['2023-02-29', '2023-2-1']],
    duration: [
      ['30s', '1h30m', '-5ms', '22 ns', '5 minutes'],
      ['x', '5 parsecs', ''],
    ],
    uuid: [['123e4567-e89b-12d3-a456-426614174000'], ['123e4567', 'x'.repeat(36)]],
    uuid4: [['123e4567-e89b-42d3-a456-426614174000'], ['123e4567-e89b-12d3-a456-426614174000']],
    email: [
      ['a@b.c', 'Ann <a@b.c>'],
      ['a', 'a@', '@b', 'a b@c'],
    ],
    hostname: [
      ['a', 'example.com', '1a.example.com'],
      ['-a', 'a..b', 'a_b'],
    ],
    ipv4: [
      ['0.0.0.0', '255.1.2.3'],
      ['256.0.0.1', '1.2.3', '::1'],
    ],
    ipv6: [
      ['::', '2001:db8::1', '::ffff:1.2.3.4'],
      [':::', '1::2::3', '1.2.3.4', '12345::'],
    ],
    cidr: [
      ['10.0.0.0/8', '::/0'],
      ['10.0.0.0', '10.0.0.0/33', '::/129'],
    ],
    uri: [
      ['https://a.b/c', '/path', 'urn:a:b'],
      ['a', 'http://a b', ''],
    ],
    byte: [
      ['aGk=', 'aGkh'],
      ['aGk', '*', ''],
    ],
    mac: [
      ['01:23:45:67:89:ab', '01-23-45-67-89-AB'],
      ['01:23:45', '01:23-45:67:89:ab'],
    ],
    isbn: [['0321751043', '978-0321751041'], ['0321751044']],
    creditcard: [['4111 1111 1111 1111'], ['4111 1111 1111 1112']],
    ssn: [['111-22-3333'], ['111-22-333']],
    hexcolor: [['#fff', 'A0B0C0'], ['#ff']],
    rgbcolor: [['rgb(0, 255,3)'], ['rgb(0,256,0)']],
    bsonobjectid: [['507f1f77bcf86cd799439011'], ['507f']],
    password: [['anything'], []],
    'k8s-short-name': [['a-1'], ['A', 'a.b', 'a'.repeat(64)]],
    'k8s-long-name': [['a-1.b'], ['a..b', 'A']],
  };

describe('formatCheck()', () => {
  for (const [format, [good, bad]] of Object.entries(cases)) {
    it(`knows ${format}`, () => {
      const check = formatCheck(format);
      assert.ok(check);
      for (const text of good) assert.equal(check(text), true, text);
      for (const text of bad) assert.equal(check(text), false, text);
    });
  }

  it('checks nothing for a format that Kubernetes does not know', () => {
    assert.equal(formatCheck('int-or-string'), undefined);
    assert.equal(formatCheck('constructor'), undefined);
  });
});
