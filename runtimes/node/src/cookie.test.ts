import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CookieOptions, formatCookie } from './cookie.ts';

const rows: readonly (readonly [string, unknown, CookieOptions, string])[] = [
  ['a', 'b c', {}, 'a=b%20c; Path=/'],
  ['a', { n: 1 }, {}, 'a=j%3A%7B%22n%22%3A1%7D; Path=/'],
  [
    'a',
    1,
    { maxAge: 1500, path: '/p', domain: 'a.example' },
    'a=1; Max-Age=1; Domain=a.example; Path=/p',
  ],
  ['a', '', { expires: new Date(1000) }, 'a=; Path=/; Expires=Thu, 01 Jan 1970 00:00:01 GMT'],
  [
    'a',
    'b',
    { httpOnly: true, secure: true, sameSite: true },
    'a=b; Path=/; HttpOnly; Secure; SameSite=Strict',
  ],
  [
    'a',
    'b',
    { sameSite: 'lax', partitioned: true, secure: false },
    'a=b; Path=/; Partitioned; SameSite=Lax',
  ],
  ['a', 'b', { encode: (text) => text.toUpperCase() }, 'a=B; Path=/'],
];

for (const [name, value, options, expected] of rows) {
  test(`formatCookie() of ${expected}`, () => {
    assert.equal(formatCookie(name, value, options), expected);
  });
}

test('formatCookie() refuses a name that would begin another header', () => {
  assert.throws(() => formatCookie('a\r\nb', 'c', {}), /^TypeError: Cannot set cookie "a\\r\\nb"/);
  assert.throws(() => formatCookie('', 'c', {}), TypeError);
});
