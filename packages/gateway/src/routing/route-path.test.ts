import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatRoutePath, parseRoutePath, type WrittenPath } from './route-path.ts';

test('parseRoutePath() takes a path apart', () => {
  const parse = (kind: WrittenPath['kind'], text: string) => parseRoutePath({ kind, text });
  const none = { parameters: [] };
  assert.deepEqual(parse('exact', '/'), { segments: [''], end: 'exact', ...none });
  assert.deepEqual(parse('exact', '/a/'), { segments: ['a', ''], end: 'exact', ...none });
  assert.deepEqual(parse('exact', '/{a}'), { segments: ['{a}'], end: 'exact', ...none });
  assert.deepEqual(parse('prefix', '/'), { segments: [], end: 'prefix', ...none });
  assert.deepEqual(parse('prefix', '/a/b/'), { segments: ['a', 'b'], end: 'prefix', ...none });
  assert.deepEqual(parse('pattern', '/a/{id}'), {
    segments: ['a', undefined],
    end: 'exact',
    parameters: ['id'],
  });
  assert.deepEqual(parse('pattern', '/{x}/b/{rest...}'), {
    segments: [undefined, 'b'],
    end: 'rest',
    parameters: ['x', 'rest'],
  });
});

test('parseRoutePath() keeps octets, however they were written', () => {
  const plain = parseRoutePath({ kind: 'exact', text: '/käse' });
  assert.deepEqual(plain, parseRoutePath({ kind: 'exact', text: '/k%C3%A4se' }));
  assert.deepEqual(plain.segments, ['k\u00c3\u00a4se']);
  assert.deepEqual(parseRoutePath({ kind: 'exact', text: '/%7ea%zz' }).segments, ['~a%zz']);
});

test('formatRoutePath() is the same for paths that take the same requests, and no others', () => {
  const format = (kind: WrittenPath['kind'], text: string): string =>
    formatRoutePath(parseRoutePath({ kind, text }));
  assert.equal(format('pattern', '/a/{id}'), format('pattern', '/a/{name}'));
  assert.equal(format('pattern', '/a/b'), format('exact', '/a/b'));
  assert.equal(format('prefix', '/a'), format('prefix', '/a/'));
  const different = [
    format('exact', '/a'),
    format('exact', '/a/'),
    format('prefix', '/a'),
    format('exact', '/a/{}'),
    format('pattern', '/a/{x}'),
    format('pattern', '/a/{x...}'),
    format('exact', '/a/{*}'),
    format('exact', '/a/{...}'),
    format('prefix', '/'),
    format('exact', '/'),
  ];
  assert.equal(new Set(different).size, different.length, different.join(' '));
});
