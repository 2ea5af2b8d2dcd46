import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RuntimeObject, RuntimeSpec, RuntimeStatus } from '@fnlet/api';
import { formatRuntimes } from './runtimes.ts';

function runtime(name: string, status?: RuntimeStatus, spec: RuntimeSpec = {}): RuntimeObject {
  const object = { apiVersion: 'fnlet.dev/v1alpha1', kind: 'Runtime', metadata: { name }, spec };
  return status === undefined ? object : { ...object, status };
}

test('formatRuntimes() says what there is of each, and its other names', () => {
  const ruby = { command: ['ruby'], aliases: ['ruby2.6', 'ruby2.5'] };
  const text = formatRuntimes([
    runtime('nodejs22', { state: 'fetchable' }),
    runtime('nodejs24', { state: 'own', version: '24.21.0', program: '/bin/node' }),
    runtime('python3.12', { state: 'absent' }),
    runtime('ruby', undefined, ruby),
  ]);
  assert.equal(
    text,
    `NAME         STATE       VERSION   PROGRAM     ALIASES
nodejs22     fetchable
nodejs24     own         24.21.0   /bin/node
python3.12   absent                            python312
ruby         unknown                           ruby2.6,ruby2.5
`,
  );
});
