import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pipFailure } from './pip-failure.ts';

const none = 'ERROR: No matching distribution found for words==99';

for (const [lines, code, text] of [
  [[none], 'DependencyNotFound', /^Cannot find dependency "words==99"/],
  [
    ["WARNING: Retrying (Retry(total=0)) after connection broken by 'X': /simple/words/", none],
    'RegistryUnreachable',
    /^Cannot reach the package index/,
  ],
  [
    ['  × No solution found', 'Because words was not found in the package registry and you'],
    'DependencyNotFound',
    /"words"/,
  ],
  [['error: Failed to fetch: `https://h/simple/x/`'], 'RegistryUnreachable', /Failed to fetch/],
  [['/usr/bin/python3.11: No module named pip'], 'InstallFailed', /No module named pip/],
  [
    ['Could not fetch URL http://h/simple/words/: 502 Server Error: Bad Gateway - skipping', none],
    'RegistryUnreachable',
    /502 Server Error/,
  ],
  [
    ['Could not fetch URL http://h/simple/words/: 401 Client Error: x - skipping', none],
    'RegistryDenied',
    /401 Client Error/,
  ],
  [
    [
      'Because words was not found in the package registry and you require words, we can conclude',
      'hint: An index URL (http://h/) could not be queried due to a lack of valid authentication credentials (401 Unauthorized)',
    ],
    'RegistryDenied',
    /401 Unauthorized/,
  ],
  [
    ['Because only words<=2.0 is available and you require words>=7, we can conclude that your'],
    'DependencyNotFound',
    /"words>=7"/,
  ],
  [
    ['Because a-source==1.0 has no usable wheels and only a-source==1.0 is available, we can'],
    'DependencyNotFound',
    /"a-source"/,
  ],
  [
    ['Because greeting<=1.5 depends on words>=2 and you require greeting<2, we can conclude that'],
    'InstallFailed',
    /depends on words>=2/,
  ],
  [['Killed'], 'InstallFailed', /\nKilled$/],
] as const) {
  it(`pipFailure() says ${code} for "${lines[0]}"`, () => {
    const error = pipFailure(lines);
    assert.equal(error.code, code);
    assert.match(error.message, text);
    assert.ok(error.remedy);
  });
}

it('pipFailure() does not repeat hundreds of versions', () => {
  const versions = Array.from({ length: 300 }, (_, i) => `1.${i}`).join(', ');
  const { message } = pipFailure([`ERROR: Could not find x (from versions: ${versions})`, none]);
  assert.ok(message.length < 600, message);
});
