import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gitFailure } from './git-failure.ts';

// What git 2.39 and OpenSSH 9.2 say.
const cases: readonly (readonly [string, string])[] = [
  ["fatal: unable to access 'https://x/': Could not resolve host: x", 'SourceUnreachable'],
  ["fatal: unable to access 'https://x/': Failed to connect to x port 443", 'SourceUnreachable'],
  ["fatal: unable to access 'https://x/tls.git/': Could not resolve host: x", 'SourceUnreachable'],
  ['ssh: connect to host x port 22: Connection refused', 'SourceUnreachable'],
  [
    "fatal: unable to access 'https://x/': The requested URL returned error: 500",
    'SourceUnreachable',
  ],
  ["fatal: Authentication failed for 'https://x/'", 'SourceDenied'],
  ["fatal: could not read Username for 'https://x': terminal prompts disabled", 'SourceDenied'],
  ['git@github.com: Permission denied (publickey).', 'SourceDenied'],
  ["fatal: unable to access 'https://x/': The requested URL returned error: 403", 'SourceDenied'],
  ['No ED25519 host key is known for x and you have requested strict checking.', 'SourceDenied'],
  ['Host key verification failed.', 'SourceDenied'],
  ["fatal: unable to access 'https://x/': server certificate verification failed.", 'SourceDenied'],
  ["fatal: repository 'https://x/no.git/' not found", 'SourceNotFound'],
  ['ERROR: Repository not found.', 'SourceNotFound'],
  ["fatal: '/no.git' does not appear to be a git repository", 'SourceNotFound'],
  ['fatal: remote error: upload-pack: not our ref 1234', 'SourceNotFound'],
  ["fatal: couldn't find remote ref refs/heads/no", 'SourceNotFound'],
  ['fatal: Not a valid object name 1234:src', 'SourceNotFound'],
  ['fatal: write error: No space left on device', 'TooLarge'],
];

for (const [line, code] of cases) {
  test(`gitFailure() reads: ${line}`, () => {
    const error = gitFailure('https://x/', ['remote: something else', line]);
    assert.equal(error.code, code);
    assert.equal(error.retry, 'later');
    assert.ok(error.message.includes(line));
    assert.ok(error.remedy);
  });
}
