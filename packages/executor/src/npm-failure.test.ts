import assert from 'node:assert/strict';
import { it } from 'node:test';
import { npmFailure } from './npm-failure.ts';

const table: readonly [string, string, RegExp][] = [
  [
    `npm error code E404
npm error 404 Not Found - GET https://registry.example/no-such-thing
npm error 404  The requested resource 'no-such-thing@1' could not be found or you do not`,
    'DependencyNotFound',
    /dependency "no-such-thing@1"/,
  ],
  [
    `npm error code ETARGET
npm error notarget No matching version found for lodash@^99.
npm error notarget In most cases you or one of your dependencies are requesting`,
    'DependencyNotFound',
    /dependency "lodash@\^99"/,
  ],
  [
    `npm error code ENOTFOUND
npm error network request to http://registry.example/lodash failed, reason: getaddrinfo`,
    'RegistryUnreachable',
    /Cannot reach http:\/\/registry\.example\/lodash: ENOTFOUND/,
  ],
  [
    `npm error code E503
npm error 503 Service Unavailable - GET http://registry.example/lodash`,
    'RegistryUnreachable',
    /Cannot reach http:\/\/registry\.example\/lodash: E503/,
  ],
  ['npm error code E429', 'RegistryUnreachable', /Cannot reach the npm registry: E429/],
  [
    'npm error code E401\nnpm error 401 Unauthorized - GET http://h/a',
    'RegistryDenied',
    /http:\/\/h\/a refuses/,
  ],
  ['npm error code E403', 'RegistryDenied', /refuses with E403/],
  ['npm ERR! code ENOSPC', 'InstallFailed', /npm ended with ENOSPC/],
  [
    'npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left on device, write',
    'InstallFailed',
    /npm ended with ENOSPC/,
  ],
  ['Segmentation fault', 'InstallFailed', /npm ended with unknown[\s\S]*Segmentation fault/],
];

for (const [output, code, message] of table) {
  it(`npmFailure() says ${code} for "${output.split('\n')[0]}"`, () => {
    const error = npmFailure(output.split('\n'));
    assert.equal(error.code, code);
    assert.match(error.message, message);
    assert.ok(error.remedy !== undefined);
  });
}

it('npmFailure() leaves out what only npm itself cares about', () => {
  const { message } = npmFailure([
    'npm error code ECONNREFUSED',
    'npm error     at ClientRequest.emit (node:events:514:28)',
    "npm error   code: 'ECONNREFUSED',",
    'npm error }',
    'npm error',
    'npm error A complete log of this run can be found in: /home/me/.npm/_logs/debug-0.log',
  ]);
  assert.deepEqual(message.split('\n').slice(1), ['npm error code ECONNREFUSED']);
});

it('npmFailure() leaves out how npm is used in general', () => {
  const { message } = npmFailure([
    'npm error code EUSAGE',
    'npm error Missing: lodash@4.17.21 from lock file',
    'npm error Clean install a project',
    'npm error Usage:',
    'npm error npm ci',
    'npm error [--install-strategy <hoisted|nested|shallow|linked>]',
  ]);
  assert.match(message, /from lock file$/);
});
