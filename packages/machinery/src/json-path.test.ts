import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseJsonPath } from './json-path.ts';

const pod = {
  metadata: { labels: { 'a.b': 'x', 'example.com/n': '1' }, name: 'p' },
  spec: { containers: [{ name: 'a', port: 80 }, { name: 'b', port: 443 }, { name: 'c' }] },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'it "is"', status: 'False' },
    ],
    ready: false,
  },
};

describe('parseJsonPath()', () => {
  const cases: readonly [path: string, values: readonly unknown[]][] = [
    ['.metadata.name', ['p']],
    ['$.metadata.name', ['p']],
    ['{.metadata.name}', ['p']],
    ['.status.ready', [false]],
    ['.metadata.labels.a\\.b', ['x']],
    ['.metadata.labels.example\\.com/n', ['1']],
    [".metadata.labels['a.b']", ['x']],
    ['.metadata["labels"]["a.b"]', ['x']],
    ['.spec.containers[0].name', ['a']],
    ['.spec.containers[-1].name', ['c']],
    ['.spec.containers[9].name', []],
    ['.spec.containers[*].port', [80, 443]],
    ['.spec.containers[0:2].name', ['a', 'b']],
    ['.spec.containers[1:].name', ['b', 'c']],
    ['.metadata.labels.*', ['x', '1']],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    [".status.conditions[?(@.type=='Ready')].status", ['True']],
    ['.status.conditions[?( @.type == "Ready" )].status', ['True']],
    ['.status.conditions[?(@.type=="it \\"is\\"")].status', ['False']],
    ['.status.conditions[?(@.type!="Ready")].status', ['False']],
    ['.spec.containers[?(@.port)].name', ['a', 'b']],
    ['.spec.containers[?(@.port>100)].name', ['b']],
    ['.spec.containers[?(@.port<=80)].name', ['a']],
    ['.nothing.here', []],
    ['.metadata.name.length', []],
    ['.constructor', []],
    ['.', [pod]],
  ];
  for (const [path, values] of cases) {
    test(`reads ${path}`, () => assert.deepEqual(parseJsonPath(path)(pod), values));
  }

  for (const path of ['.a[', 'a..b', '.a[x]', '.a[]', '.a[?(@.b==)]', '.a[?(@.b==c)]', ".a['b]"]) {
    test(`refuses ${path}`, () => {
      assert.throws(() => parseJsonPath(path), { code: 'InvalidJsonPath' });
    });
  }

  test('never takes long over a bad path', () => {
    assert.throws(() => parseJsonPath(`.a[?(@${'.a'.repeat(50_000)}`));
  });
});
