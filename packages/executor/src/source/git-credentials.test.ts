import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseGitCredentials } from './git-credentials.ts';
import { parseGitUrl } from './git-location.ts';

const https = { protocol: 'https', origin: 'https://x', host: 'x', port: 443 } as const;
const ssh = { protocol: 'ssh', origin: '', host: 'x', port: 22 } as const;

test('parseGitCredentials() reads the keys of all who have made such Secrets', () => {
  const { username, password } = parseGitCredentials({ username: 'a', password: 'b' }, https);
  assert.deepEqual([username, password], ['a', 'b']);
  assert.deepEqual(parseGitCredentials({ token: 't' }, https), {
    username: 'x-access-token',
    password: 't',
  });
  assert.equal(parseGitCredentials({ username: 'a', token: 't' }, https).username, 'a');
  for (const key of ['ssh-privatekey', 'key', 'identity']) {
    assert.deepEqual(parseGitCredentials({ [key]: 'k' }, ssh), { privateKey: 'k\n' });
  }
  const full = { key: 'k\n\n', password: 'p', known_hosts: 'h' };
  assert.deepEqual(parseGitCredentials(full, ssh), {
    privateKey: 'k\n',
    passphrase: 'p',
    knownHosts: 'h',
  });
  assert.deepEqual(parseGitCredentials({ 'ca.crt': 'c' }, https), { authorities: 'c' });
});

test('parseGitCredentials() names the key that is missing, and no value', () => {
  const secret = { key: 'k3y' };
  assert.throws(() => parseGitCredentials(secret, https), {
    code: 'SourceDenied',
    message: /expected username and password, token, or ca\.crt$/,
  });
  assert.throws(() => parseGitCredentials({ token: 't' }, ssh), /expected ssh-privatekey/);
});

test('parseGitUrl() takes apart what Fnlet fetches from, and nothing else', () => {
  assert.deepEqual(parseGitUrl('https://host:8443/a/b.git'), {
    protocol: 'https',
    origin: 'https://host:8443',
    host: 'host',
    port: 8443,
  });
  const { protocol, port } = parseGitUrl('http://host/a') ?? {};
  assert.deepEqual([protocol, port], ['http', 80]);
  assert.deepEqual(parseGitUrl('ssh://git@host:2222/a'), {
    protocol: 'ssh',
    origin: '',
    host: 'host',
    port: 2222,
  });
  assert.equal(parseGitUrl('git@github.com:acme/code.git')?.host, 'github.com');
  const others = [
    '/srv/code.git',
    'file:///srv',
    'git://host/x',
    'ext::sh -c id',
    'https://u@host/x',
    'https://u:p@host/x',
    'ssh://u:p@host/x',
    'ssh://-oProxyCommand=id/x',
    '-u@host:x',
    '',
  ];
  for (const url of others) assert.equal(parseGitUrl(url), undefined, url);
});
