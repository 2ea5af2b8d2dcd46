import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aprMd5 } from './apr-md5.ts';
import { BcryptChecks } from './bcrypt-checks.ts';
import { matchesPassword, parsePasswordFile } from './password-file.ts';
import { shaCrypt } from './sha-crypt.ts';

const long = 'a password that is longer than thirty-two and sixty-four octets, to be sure of it';

const bcrypt = new BcryptChecks();

/** As `openssl passwd` writes them. */
const written: readonly (readonly [password: string, hash: string])[] = [
  ['secret', '$apr1$Ab1./xyz$AXKMkkJIQqVqKAKnK82U4.'],
  ['pässwörd', '$apr1$Ab1./xyz$aP.1Pk3R0fgTqggl6BYmq.'],
  [long, '$apr1$Ab1./xyz$4WVn5.y81DyzP9Uot1SZT/'],
  ['x'.repeat(15), '$apr1$abcd$j62BVzuQyx9LZgLwkEIqC/'],
  ['x'.repeat(16), '$apr1$abcd$CY6rN7XJAdg6T0xqlfsUq/'],
  ['x'.repeat(17), '$apr1$abcd$v5C.NkauqMd/gPfTkiTRJ0'],
  ['x'.repeat(33), '$apr1$abcd$wUmCLw8jjnZ8hAn67.2Bx/'],
  ['secret', '$5$Ab1./xyz$NE3qKxtlA6dtwI78h6TppwyNhVDzZ/tEehO/jN7QOd7'],
  ['pässwörd', '$5$Ab1./xyz$R12DQrbcfjq8xTLrPtv7TfDsANwcOajHDoczvH6kj21'],
  [long, '$5$Ab1./xyz$A3ShkF.Wgy8CxX4YYZAOEVVn7pq20yTQdETBU6OENc2'],
  [
    'secret',
    '$6$Ab1./xyz$tXjoRr38V8PM87tz1nn.xv2I1oIhhNCmeSQ1Jvb2jn51' +
      'E1vAYbF670LFgf08o.v.Zh9zusLzIALPsJ4kzlGHQ1',
  ],
  [
    long,
    '$6$Ab1./xyz$7CKKJHAt6LPW78E8/lBtC6t8K3HT0Lx7nU5heqiWI9.e' +
      '47Hk5Mxz1D4FQlECJOxZJLDVZXt6BhlddLfMpEQEq/',
  ],
  ['secret', '{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ='],
  ['secret', '{SSHA}gVK8WC9YyFT1gMsQHTGCgT3sSv5zYWx0'],
];

test('matchesPassword() knows what openssl and htpasswd write, and nothing else', () => {
  for (const [password, hash] of written) {
    assert.equal(matchesPassword(password, hash, bcrypt), true, hash);
    for (const wrong of ['', `${password} `, password.toUpperCase(), password.slice(1), hash]) {
      assert.equal(matchesPassword(wrong, hash, bcrypt), false, `${hash} of "${wrong}"`);
    }
  }
});

test('matchesPassword() takes no form that it does not know, above all not a plain password', () => {
  for (const hash of [
    'secret',
    '',
    '$1$abcd$x',
    '{PLAIN}secret',
    '$2y$05$abc',
    `$2y$13$${'a'.repeat(53)}`,
    `$2y$03$${'a'.repeat(53)}`,
    `$2x$05$${'a'.repeat(53)}`,
    '{SHA}x',
    '$apr1$',
  ]) {
    assert.equal(matchesPassword('secret', hash, bcrypt), false, hash);
    assert.equal(matchesPassword(hash, hash, bcrypt), false, hash);
  }
});

test('shaCrypt() counts rounds and cuts salts as its specification says', () => {
  for (const [setting, password, expected] of [
    [
      '$5$rounds=10000$saltstringsaltstring',
      'Hello world!',
      '$5$rounds=10000$saltstringsaltst$3xv.VbSHBb41AL9AvLeujZkZRBAwqFMz2.opqey6IcA',
    ],
    [
      '$6$rounds=10$roundstoolow',
      'the minimum number is still observed',
      '$6$rounds=1000$roundstoolow$kUMsbe306n21p9R.FRkW3IGn.S9NPN0x50YhH1xh' +
        'LsPuWGsUSklZt58jaTfF4ZEQpyUNGc0dqbpBYYBaHHrsX.',
    ],
  ] as const) {
    assert.equal(shaCrypt(password, setting), expected);
  }
});

test('parsePasswordFile() reads what htpasswd writes, and names whom it cannot check', () => {
  const hash = aprMd5('secret', 'salt');
  const { users, unusable } = parsePasswordFile(
    `# staff\n\nann:${hash}\r\n  bob:${hash}:a comment\nann:other\nno colon\n:${hash}\n` +
      `eve:$2y$13$abcdefghijklmnopqrstuu5LlMEQe3ZVg0c8B3Sl9nWk8p9vQ1XeX\nplain:secret\n` +
      `slow:$5$rounds=999999999$salt$${'x'.repeat(43)}\nl\u00fcge:${hash}\n`,
  );
  assert.deepEqual(
    [...users],
    [
      ['ann', hash],
      ['bob', hash],
    ],
  );
  assert.deepEqual(unusable, ['eve', 'plain', 'slow', 'l\u00fcge']);
});
