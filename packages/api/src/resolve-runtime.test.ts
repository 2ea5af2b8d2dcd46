import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KnownRuntime } from './known-runtime.ts';
import { resolveRuntime } from './resolve-runtime.ts';

const ruby: KnownRuntime = {
  name: 'ruby',
  aliases: ['ruby2.4', 'python2.7'],
  fileName: 'handler.rb',
  extensions: ['.rb'],
};

function resolve(
  asked: string,
  here: readonly string[],
  added: readonly KnownRuntime[] = [],
): string {
  const found = resolveRuntime(asked, { added, isHere: (name) => here.includes(name) });
  if (found.kind === 'unknown') return 'unknown';
  return found.warning === undefined ? found.runtime.name : `${found.runtime.name}, retired`;
}

const laptop = ['nodejs24', 'python3.11', 'python3.13'];

const cases: readonly (readonly [asked: string, here: readonly string[], means: string])[] = [
  ['nodejs22', laptop, 'nodejs22'],
  ['nodejs24', laptop, 'nodejs24'],
  ['nodejs26', [], 'nodejs26'],
  ['python3.12', laptop, 'python3.12'],
  ['python312', laptop, 'python3.12'],
  ['python314', [], 'python3.14'],
  ...[6, 8, 10, 12, 14, 16, 18, 20, 21].map(
    (version) => [`nodejs${version}`, laptop, 'nodejs24, retired'] as const,
  ),
  ['nodejs20', ['nodejs22', 'nodejs24'], 'nodejs22, retired'],
  ['nodejs20', [], 'nodejs22, retired'],
  ['nodejs25', laptop, 'nodejs24, retired'],
  ['nodejs_distroless8', laptop, 'nodejs24, retired'],
  ['nodejsCE8', laptop, 'nodejs24, retired'],
  ...['2.7', '27', '3.4', '3.6', '3.7', '3.8', '3.9', '39', '3.10', '310'].map(
    (version) => [`python${version}`, laptop, 'python3.11, retired'] as const,
  ),
  ['python3.9', ['python3.13'], 'python3.13, retired'],
  ['python3.9', [], 'python3.11, retired'],
  ['nodejs28', laptop, 'unknown'],
  ['python3.15', laptop, 'unknown'],
  ['python', laptop, 'unknown'],
  ['nodejs', laptop, 'unknown'],
  ['NODEJS24', laptop, 'unknown'],
  ['java11', laptop, 'unknown'],
  ['ruby', laptop, 'unknown'],
  ['', laptop, 'unknown'],
  ['__proto__', laptop, 'unknown'],
];

for (const [asked, here, means] of cases) {
  test(`resolveRuntime() "${asked}" with ${here.join(' ') || 'nothing'} here: ${means}`, () => {
    assert.equal(resolve(asked, here), means);
  });
}

test('resolveRuntime() takes an added runtime by name and by alias', () => {
  assert.equal(resolve('ruby', laptop, [ruby]), 'ruby');
  assert.equal(resolve('ruby2.4', laptop, [ruby]), 'ruby');
  assert.equal(resolve('python2.7', laptop, [ruby]), 'ruby');
});

test('resolveRuntime() never takes an added runtime for one that comes with Fnlet', () => {
  const thief = { ...ruby, name: 'other', aliases: ['nodejs24', 'python312'] };
  assert.equal(resolve('nodejs24', laptop, [thief]), 'nodejs24');
  assert.equal(resolve('python312', laptop, [thief]), 'python3.12');
});

test('resolveRuntime() says what it knows', () => {
  const found = resolveRuntime('cobol', { added: [ruby], isHere: () => true });
  assert.ok(found.kind === 'unknown');
  assert.match(found.message, /"cobol".*nodejs22, .*python3\.14, ruby; a Runtime object adds/);
});

test('resolveRuntime() says what a retired name runs on', () => {
  const found = resolveRuntime('nodejs14', { added: [], isHere: () => true });
  assert.ok(found.kind === 'found');
  assert.equal(found.warning, 'Runtime nodejs14 is retired: the code runs on nodejs22');
});
