import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redactCredentials } from './redact-credentials.ts';

test('redactCredentials() takes out what an .npmrc proves itself with', () => {
  const redact = redactCredentials(
    [
      'registry=https://registry.example/npm/',
      '//registry.example/npm/:_authToken=npm_abcdef0123',
      '//other.example/:username=somebody',
      '//other.example/:_password="cGFzc3dvcmQ="',
      'always-auth=true',
    ].join('\n'),
  );
  assert.equal(
    redact('401 with npm_abcdef0123 at https://registry.example/npm/'),
    '401 with *** at https://registry.example/npm/',
  );
  assert.equal(redact('somebody cGFzc3dvcmQ= true'), 'somebody *** true');
});

test('redactCredentials() takes out what a URL of a pip.conf proves itself with', () => {
  const redact = redactCredentials(
    '[global]\nindex-url = https://me:p%40ssword@pypi.example/simple\n',
  );
  assert.equal(redact('at https://me:p%40ssword@pypi.example'), 'at https://me:***@pypi.example');
  assert.equal(redact('p@ssword'), '***');
});

test('redactCredentials() takes out what is wrapped, and a token in place of a user', () => {
  const auth = Buffer.from('me:hunter2hunter2').toString('base64');
  const redact = redactCredentials(
    `//h/:_auth=${auth}\n//h/:_password=cGFzc3dvcmQ=\nindex-url = https://pypi-AgEIcHlwaS5vcmc:@h/\n`,
  );
  const said = `${auth} hunter2hunter2 password https://pypi-AgEIcHlwaS5vcmc:****@h/`;
  assert.equal(redact(said), '*** *** *** https://***:****@h/');
});

test('redactCredentials() leaves everything else alone', () => {
  const redact = redactCredentials('_auth=ab\n# nothing\nregistry=https://registry.example\n');
  assert.equal(redact('about https://registry.example'), 'about https://registry.example');
  assert.equal(redactCredentials('')('text'), 'text');
});
