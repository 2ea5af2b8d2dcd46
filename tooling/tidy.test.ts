import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPython, checkTidy } from './tidy.ts';

function messages(path: string, text: string): string[] {
  return checkTidy({ path, text }).map(({ message }) => message);
}

function functionOf(lines: number): string {
  return `export function long(): void {\n${'  step();\n'.repeat(lines - 2)}}\n`;
}

test('checkTidy() allows a small, well-named file', () => {
  assert.deepEqual(messages('packages/base/src/word.ts', functionOf(70)), []);
});

test('checkTidy() refuses a function over the budget and names its line', () => {
  const found = checkTidy({ path: 'packages/base/src/a.ts', text: `\n${functionOf(71)}` });
  assert.deepEqual(found, [
    {
      path: 'packages/base/src/a.ts',
      line: 2,
      message: 'function of 71 lines, expected at most 70',
    },
  ]);
});

test('checkTidy() refuses a long method too', () => {
  const body = '    step();\n'.repeat(70);
  const text = `export class A {\n  async #run(): Promise<void> {\n${body}  }\n}\n`;
  assert.match(messages('packages/base/src/a.ts', text)[0] ?? '', /function of 72 lines/);
});

test('checkTidy() refuses a file over the budget; tests may be longer', () => {
  const text = '\n'.repeat(501);
  assert.match(messages('packages/base/src/a.ts', text)[0] ?? '', /501 lines/);
  assert.deepEqual(messages('packages/base/src/a.test.ts', text), []);
});

test('checkTidy() refuses more than three parameters', () => {
  const text = 'export function f(a: A, b: Map<B, C>, c: () => void, d: D): void {\n}\n';
  assert.match(messages('packages/base/src/a.ts', text)[0] ?? '', /^4 parameters/);
  const three = 'export function f(a: A, b: Map<B, C>, c: () => void): void {\n}\n';
  assert.deepEqual(messages('packages/base/src/a.ts', three), []);
});

test('checkTidy() refuses vague file names', () => {
  for (const name of ['utils.ts', 'types.ts', 'helpers.ts', 'constants.ts']) {
    assert.equal(messages(`packages/base/src/${name}`, '').length, 1, name);
  }
  assert.equal(messages('packages/base/src/CamelCase.ts', '').length, 1);
});

test('checkTidy() keeps the outside world out of pure rooms', () => {
  const text = "import { readFile } from 'node:fs/promises';\n";
  assert.match(messages('packages/machinery/src/a.ts', text)[0] ?? '', /does not touch/);
  assert.deepEqual(messages('packages/store/src/a.ts', text), []);
  const types = "import type { IncomingMessage } from 'node:http';\n";
  assert.deepEqual(messages('packages/machinery/src/a.ts', types), []);
});

test('checkTidy() refuses ambient time and chance', () => {
  for (const call of ['Date.now()', 'new Date()', 'Math.random()', 'setTimeout(f, 1)']) {
    assert.match(messages('packages/gateway/src/a.ts', `x = ${call};\n`)[0] ?? '', /Clock/, call);
  }
  assert.deepEqual(messages('packages/gateway/src/a.ts', 'x = new Date(now);\n'), []);
});

test('checkTidy() refuses logic in a door', () => {
  const path = 'packages/base/src/index.ts';
  assert.match(messages(path, 'export const x = 1;\n')[0] ?? '', /only re-exports/);
  assert.match(messages(path, "export * from './a.ts';\n")[0] ?? '', /only re-exports/);
  assert.deepEqual(messages(path, "export { a } from './a.ts';\n"), []);
});

test('checkTidy() refuses exports that change', () => {
  const found = messages('packages/base/src/count.ts', 'export let count = 0;\n');
  assert.match(found[0] ?? '', /exports what changes/);
});

test('checkTidy() refuses open ends and silenced types', () => {
  const path = 'packages/base/src/a.ts';
  assert.match(messages(path, '// TODO later\n')[0] ?? '', /open end/);
  assert.deepEqual(messages(path, '// TODO(#12): later\n'), []);
  assert.match(messages(path, 'const a = b as unknown as C;\n')[0] ?? '', /type checker/);
});

test('checkPython() bounds files and lines, and finds open ends', () => {
  const check = (text: string): string[] =>
    checkPython({ path: 'runtimes/python/a.py', text }).map(({ message }) => message);
  assert.deepEqual(check('x = 1\n'.repeat(500)), []);
  assert.deepEqual(check('x = 1\n'.repeat(501)), ['501 lines, expected at most 500']);
  assert.deepEqual(check(`x = "${'y'.repeat(100)}"`), ['106 columns, expected at most 100']);
  assert.equal(check('x = 1  # TO'.concat('DO later')).length, 1);
});
