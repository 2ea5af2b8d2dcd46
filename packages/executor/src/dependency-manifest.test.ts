import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseDependencies } from './dependency-manifest.ts';

function dependenciesOf(text: string): unknown {
  return parseDependencies(text, 'dependencies').manifest?.dependencies;
}

it('parseDependencies() takes a package.json and a bare map', () => {
  const wanted = { lodash: '^4', '@scope/name': '1.0.0' };
  assert.deepEqual(dependenciesOf(JSON.stringify(wanted)), wanted);
  assert.deepEqual(dependenciesOf(JSON.stringify({ dependencies: wanted })), wanted);
  const whole = { name: 'hello', version: '1.0.0', type: 'module' };
  assert.equal(dependenciesOf(JSON.stringify(whole)), undefined);
  assert.equal(parseDependencies(JSON.stringify(whole), 'package.json').isPackageJson, true);
  assert.equal(parseDependencies(JSON.stringify(wanted), 'dependencies').isPackageJson, false);
});

it('parseDependencies() finds nothing to install in nothing', () => {
  for (const text of [
    '',
    '  \n',
    '{}',
    '{"dependencies": {}}',
    '{"devDependencies": {"a": "1"}}',
  ]) {
    assert.equal(parseDependencies(text, 'dependencies').manifest, undefined);
  }
});

it('parseDependencies() tells where text is not JSON', () => {
  assert.throws(() => dependenciesOf('{\n  "lodash": "^4",\n}'), {
    code: 'BrokenManifest',
    file: 'dependencies',
    line: 3,
    column: 1,
    message: /^Cannot read dependencies:3:1: /,
  });
  assert.throws(() => dependenciesOf('{\n  "lodash"'), { line: 2, column: 11 });
});

it('parseDependencies() refuses what npm would not understand', () => {
  const texts = ['[]', '"lodash"', '{"dependencies": ["a"]}', '{"dependencies": {"a": 1}}'];
  for (const text of [...texts, '{"../evil": "1"}', '{"--flag x": "1"}']) {
    assert.throws(() => dependenciesOf(text), { code: 'BrokenManifest' }, text);
  }
});

it('parseDependencies() says that packages of the source itself are not installed', () => {
  for (const version of ['file:./lib', '../lib', './lib', 'link:lib', 'workspace:*', '/lib']) {
    for (const key of ['dependencies', 'optionalDependencies']) {
      assert.throws(() => dependenciesOf(JSON.stringify({ [key]: { lib: version } })), {
        code: 'BrokenManifest',
        message: /\.lib is ".*", a package of the source itself/,
      });
    }
    // They are not installed, whatever they are.
    dependenciesOf(JSON.stringify({ devDependencies: { lib: version } }));
  }
});
