import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubelessFunctionObject } from '@fnlet/api/kubeless';
import { formatFunctionDescription, formatFunctionTable } from './function-table.ts';

const container = {
  env: [{ name: 'A', value: '1' }, { name: 'B' }],
  resources: { requests: { memory: '64Mi' } },
};

function functionOf(
  spec: object = {},
  { replicas, status }: { replicas: number; status: 'True' | 'False' } = {
    replicas: 1,
    status: 'True',
  },
): KubelessFunctionObject {
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const condition = {
    type: 'Ready',
    status,
    reason: 'Why',
    message: 'Because',
    lastTransitionTime,
  };
  return {
    apiVersion: 'kubeless.io/v1beta1',
    kind: 'Function',
    metadata: { name: 'hello', namespace: 'default', labels: { team: 'a' } },
    spec: {
      handler: 'hello.run',
      runtime: 'nodejs14',
      function: '',
      deployment: { spec: { template: { spec: { containers: [container] } } } },
      ...spec,
    },
    status: { replicas, conditions: [condition] },
  };
}

/** Columns of its line, DEPENDENCIES and STATUS. */
function lastColumns(object: KubelessFunctionObject): readonly string[] {
  const line = formatFunctionTable([object], { wide: false }).split('\n')[1] ?? '';
  return line.split(/ {3,}/).slice(4);
}

const asleep = { replicas: 0, status: 'True' } as const;
const states: readonly (readonly [string, KubelessFunctionObject, string])[] = [
  ['ready', functionOf(), '1/1 READY'],
  ['on its way', functionOf({}, { replicas: 0, status: 'False' }), '0/1 NOT READY'],
  ['ready before its Instance is', functionOf({}, asleep), '0/1 NOT READY'],
  ['asleep', functionOf({ deployment: { spec: { replicas: 0 } } }, asleep), '0/0 READY'],
  [
    'one that falls back',
    functionOf({ deployment: { spec: { replicas: 3 } } }, { replicas: 2, status: 'False' }),
    '2/3 NOT READY',
  ],
  ['refused', functionOf({ handler: 'none' }, { replicas: 0, status: 'False' }), 'MISSING: Why'],
];

for (const [name, object, state] of states) {
  test(`formatFunctionTable() says of a function that is ${name}: ${state}`, () => {
    assert.deepEqual(lastColumns(object), [state]);
  });
}

test('formatFunctionTable() has dependencies in one line', () => {
  const manifest = JSON.stringify({ dependencies: { left: '^1', right: '2' } });
  assert.deepEqual(lastColumns(functionOf({ deps: manifest })), [
    'left: ^1, right: 2',
    '1/1 READY',
  ]);
  const python = functionOf({ runtime: 'python3.7', deps: 'bs4\nlxml\n' });
  assert.deepEqual(lastColumns(python), ['bs4, lxml', '1/1 READY']);
  assert.deepEqual(lastColumns(functionOf({ deps: '{' })), ['{', '1/1 READY']);
});

test('formatFunctionTable() has as many cells as heads when it is wide', () => {
  const [heads = '', line = ''] = formatFunctionTable([functionOf()], { wide: true }).split('\n');
  assert.deepEqual(heads.split(/ +/).slice(-3), ['MEMORY', 'ENV', 'LABEL']);
  assert.deepEqual(line.split(/ {3,}/).slice(-3), ['64Mi', 'A = 1, B =', 'team : a']);
});

test('formatFunctionDescription() says what holds it back', () => {
  const text = formatFunctionDescription(functionOf({}, { replicas: 0, status: 'False' }));
  assert.deepEqual(text.split('\n'), [
    'Name:          hello',
    'Namespace:     default',
    'Handler:       hello.run',
    'Runtime:       nodejs14',
    'Label:         {"team":"a"}',
    'Envvar:        [{"name":"A","value":"1"},{"name":"B"}]',
    'Memory:        64Mi',
    'Dependencies:',
    'Status:        0/1 NOT READY: Because',
    'URL:',
  ]);
});
