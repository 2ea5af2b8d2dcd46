/** What a start loads is scripts, which export what modules would. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { runInThisContext } from 'node:vm';

interface ModuleText {
  readonly name: string;
  readonly text: string;
  readonly lateImports: number;
}

const file = join(import.meta.dirname, '..', 'tooling', 'start-scripts.mjs');
const tooling: {
  toScript(module: ModuleText): { script: string; module: string };
  toPackageScript(text: string): string;
} = await import(pathToFileURL(file).href);
const { toScript, toPackageScript } = tooling;

type Import = ((specifier: string) => unknown) & {
  readonly of: (specifier: string) => Record<string, unknown>;
  readonly meta: Record<string, unknown>;
};

const base = { name: 'part', lateImports: 0 };

/** Runs a script with other files that export what is said of them. */
function run(script: string, files: Record<string, Record<string, unknown>> = {}): unknown {
  const own: Import = Object.assign((specifier: string) => files[specifier], {
    of: (specifier: string) => files[specifier] ?? {},
    meta: { url: 'file:///part.js' },
  });
  const start: unknown = runInThisContext(script);
  assert.ok(typeof start === 'function');
  return start(own);
}

test('toScript() hands on what a module imports and exports, under its names', () => {
  const text =
    'import{one,two as deux}from"./numbers.js";import {three} from "./more.js";\n' +
    'var sum=one+deux+three;class Sum{}\nexport{sum,Sum as Total};\n//# sourceMappingURL=part.js.map\n';
  const { script, module } = toScript({ ...base, text });
  const exports = run(script, { './numbers.js': { one: 1, two: 2 }, './more.js': { three: 3 } });
  assert.deepEqual(Object.keys(exports ?? {}), ['sum', 'Total']);
  assert.equal(Object.entries(exports ?? {})[0]?.[1], 6);
  assert.match(module, /^import\{exportsOf\}from"[./]+bin\/start-scripts\.js";/);
  assert.match(module, /export const\{sum,Total\}=exportsOf\(import\.meta\.url,\{load:/);
});

test('toScript() keeps the lines, and what is imported late', () => {
  const text =
    'var late=()=>import("./late.js"),where=import.meta.url;\nfunction fail(){}\nexport{late};';
  const { script } = toScript({ ...base, text, lateImports: 1 });
  assert.equal(
    script.split('\n').findIndex((line) => line.startsWith('function fail')),
    1,
  );
  const exports = Object.values(run(script, { './late.js': { loaded: true } }) ?? {});
  assert.deepEqual(exports[0]?.(), { loaded: true });
});

test('toScript() is strict, as modules are', () => {
  const { script } = toScript({
    ...base,
    text: 'var self=(function(){return this})();export{self};',
  });
  assert.deepEqual(Object.values(run(script) ?? {}), [undefined]);
});

test('toScript() refuses what no script can be', () => {
  const refuses = (text: string, message: RegExp): void =>
    assert.throws(() => toScript({ ...base, text }), message);
  refuses('await 1;export{};', /await/);
  refuses('import defer from"./other.js";export{defer};', /import/);
  refuses('var text="call import(";export{text};', /found 1 import\(\), expected 0/);
  refuses('var init=__esm({"a.ts"(){x=1}}),x;export{x,init};', /runs late/);
  refuses('var $mport=1;export{$mport};', /has a meaning already/);
});

test('toPackageScript() gives a package of CommonJS what Node gives it', () => {
  const script = toPackageScript('module.exports={path:__filename,fs:require("fs")};');
  const start: unknown = runInThisContext(script);
  assert.ok(typeof start === 'function');
  const module = { exports: {} };
  start((name: string) => `required ${name}`, '/package/index.cjs', module, module.exports);
  assert.deepEqual(module.exports, { path: '/package/index.cjs', fs: 'required fs' });
});
