import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RuntimeObject, RuntimeSpec } from '@fnlet/api';
import { decideRuntime } from './decide-runtime.ts';

function runtime(name: string, state: string, spec: RuntimeSpec = {}): RuntimeObject {
  const type = { apiVersion: 'fnlet.dev/v1alpha1', kind: 'Runtime' };
  return { ...type, metadata: { name }, spec, status: { state } };
}

const machine = [
  runtime('nodejs24', 'own'),
  runtime('python3.11', 'found'),
  runtime('python3.12', 'found'),
  runtime('python3.13', 'absent'),
  runtime('python3.14', 'absent'),
  runtime('ruby', 'found', { command: ['ruby'], extensions: ['.rb'] }),
];

const cases: readonly (readonly [files: string, runtimes: readonly RuntimeObject[], string])[] = [
  ['handler.ts', machine, 'nodejs24'],
  ['handler.cjs', machine, 'nodejs24'],
  ['handler.py', machine, 'python3.12'],
  ['handler.rb', machine, 'ruby'],
  ['handler.py requirements.txt lib/a.js', machine, 'python3.12'],
  ['index.js tool.py', machine, 'nodejs24'],
  ['main.py setup.js', machine, 'python3.12'],
  ['package.json handler.py', machine, 'nodejs24'],
  ['greeting.rb Gemfile', machine, 'ruby'],
  ['handler.py', [], 'python3.14'],
  ['handler.rb', [], 'nodejs24'],
  ['README.md', machine, 'nodejs24'],
  ['lib/handler.py', machine, 'nodejs24'],
];

for (const [files, runtimes, expected] of cases) {
  const where = runtimes.length === 0 ? ' without a list of runtimes' : '';
  test(`decideRuntime() takes ${files} for ${expected}${where}`, () => {
    assert.equal(decideRuntime(files.split(' '), runtimes), expected);
  });
}
