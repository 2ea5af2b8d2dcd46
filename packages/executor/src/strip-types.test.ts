import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isTypeScript, stripTypes } from './strip-types.ts';

it('isTypeScript() knows programs from declarations', () => {
  const paths = ['a.ts', 'a.mts', 'lib/a.cts', 'a.d.ts', 'a.d.mts', 'a.js', 'ts', 'a.tsx'];
  assert.deepEqual(paths.filter(isTypeScript), ['a.ts', 'a.mts', 'lib/a.cts']);
});

it('stripTypes() rewrites only what needs it', () => {
  assert.equal(stripTypes('a.ts', 'let a: string;'), 'let a        ;');
  const rewritten = stripTypes('a.ts', 'class A { constructor(readonly b: number) {} }');
  assert.match(rewritten, /this\.b = b/);
});

it('stripTypes() tells the position, also behind wide characters and at the end', () => {
  const position = (code: string): unknown => {
    try {
      return stripTypes('a.ts', code);
    } catch (error) {
      const { file, line, column } = Object(error);
      return { file, line, column };
    }
  };
  assert.deepEqual(position('\n\n  let b: = 1'), { file: 'a.ts', line: 3, column: 10 });
  assert.deepEqual(position('let é = 1; let b: = 1'), { file: 'a.ts', line: 1, column: 19 });
  assert.deepEqual(position('enum A {}\nfunction'), { file: 'a.ts', line: 2, column: 1 });
});

it('stripTypes() says nothing on the way, and leaves other warnings alone', async () => {
  const warnings: string[] = [];
  const listen = ({ message }: Error): void => {
    warnings.push(message);
  };
  process.on('warning', listen);
  stripTypes('a.ts', 'let a: string;');
  process.emitWarning('something else');
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', listen);
  assert.deepEqual(warnings, ['something else']);
});
