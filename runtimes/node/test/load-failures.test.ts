import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoadFailure } from '@fnlet/invocation';
import { StartedRunner } from './started-runner.ts';

interface Broken {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly handler?: string;
  readonly expected: Partial<LoadFailure>;
  readonly message: RegExp;
}

const table: readonly Broken[] = [
  {
    name: 'a syntax error in an ES module',
    files: { 'handler.mjs': 'const a = 1;\n  const = 4;\nexport default () => a;\n' },
    expected: { code: 'SyntaxError', file: 'handler.mjs', line: 2, column: 9 },
    message: /^Cannot load "handler\.mjs": found SyntaxError: Unexpected token '='/,
  },
  {
    name: 'a syntax error in a .js file without a package type',
    files: { 'handler.js': 'export default () => {\n  return 4 }}\n' },
    expected: { code: 'SyntaxError', file: 'handler.js', line: 2, column: 13 },
    message: /Unexpected token '}'/,
  },
  {
    name: 'an ES module that ends too early',
    files: { 'handler.js': 'export default () => {' },
    expected: { code: 'SyntaxError', file: 'handler.js', line: 1, column: 23 },
    message: /Unexpected end of input, expected valid JavaScript/,
  },
  {
    name: 'an ES module that ends too early, in a line of its own',
    files: { 'handler.mjs': 'export default () => {\n' },
    expected: { code: 'SyntaxError', file: 'handler.mjs', line: 2, column: 1 },
    message: /Unexpected end of input/,
  },
  {
    name: 'CommonJS that ends too early',
    files: { 'handler.cjs': 'module.exports = () => {\n' },
    expected: { code: 'SyntaxError', file: 'handler.cjs', line: 2 },
    message: /Unexpected end of input/,
  },
  {
    name: 'a syntax error in CommonJS',
    files: { 'handler.js': 'function x( {\nmodule.exports = 4;\n' },
    expected: { code: 'SyntaxError', file: 'handler.js', line: 2, column: 7 },
    message: /Unexpected token '\.'/,
  },
  {
    name: 'a syntax error in stripped TypeScript',
    files: { 'handler.ts': 'export default (a        ) => {\n\n   return = a;\n};\n' },
    expected: { code: 'SyntaxError', file: 'handler.ts', line: 3, column: 11 },
    message: /^Cannot load "handler\.ts"/,
  },
  {
    name: 'a syntax error in an imported file',
    files: { 'handler.js': 'import "./lib/b.js";\n', 'lib/b.js': 'export let a;\nexport let a;\n' },
    expected: { code: 'SyntaxError', file: 'lib/b.js', line: 2, column: 12 },
    message: /has already been declared/,
  },
  {
    name: 'an import of an export that is not there',
    files: {
      'handler.mjs': 'import { x } from "./b.mjs";\nexport default x;',
      'b.mjs': 'export let y;',
    },
    expected: { code: 'SyntaxError', file: 'handler.mjs', line: 1 },
    message: /does not provide an export named 'x'/,
  },
  {
    name: 'an import of a type as if it was a value',
    files: {
      'handler.ts': 'import { T } from "./t.ts";\nexport default () => 1;',
      't.ts': '                    ',
    },
    expected: { code: 'SyntaxError', file: 'handler.ts', line: 1 },
    message: /expected an export, or "import type" if it is a type$/,
  },
  {
    name: 'a package that is not installed, imported',
    files: { 'handler.ts': '\nimport _ from "lodash/fp";\nexport default () => _;\n' },
    expected: { code: 'MissingModule', file: 'handler.ts', line: 2, column: 15 },
    message: /^Cannot load "handler\.ts": found an import of "lodash", .* dependencies$/,
  },
  {
    name: 'a package that is not installed, required',
    files: { 'handler.js': 'const a = 1;\nconst _ = require("lodash");\n' },
    expected: { code: 'MissingModule', file: 'handler.js', line: 2, column: 19 },
    message: /import of "lodash"/,
  },
  {
    name: 'a file that is not there',
    files: { 'handler.mjs': 'import a from "./lib/a.js";\nexport default a;\n' },
    expected: { code: 'MissingModule', file: 'handler.mjs', line: 1, column: 15 },
    message: /import of "lib\/a\.js", .* expected that file in the source$/,
  },
  {
    name: 'a throw at the top level',
    files: { 'handler.mjs': '\n\n  throw new Error("no database");\n' },
    expected: { code: 'LoadError', file: 'handler.mjs', line: 3, column: 9 },
    message: /Error: no database/,
  },
  {
    name: 'a throw in a function of another file, called at the top level',
    files: {
      'handler.js': 'require("./db").connect();',
      'db.js': 'exports.connect = () => {\n  null.x;\n};',
    },
    expected: { code: 'LoadError', file: 'db.js', line: 2, column: 8 },
    message: /TypeError: Cannot read properties of null/,
  },
  {
    name: 'a thrown string',
    files: { 'handler.js': 'throw "nope";' },
    expected: { code: 'LoadError', file: 'handler.js' },
    message: /found a thrown 'nope', expected/,
  },
  {
    name: 'a thrown null',
    files: { 'handler.js': 'throw null;' },
    expected: { code: 'LoadError', file: 'handler.js' },
    message: /found a thrown null, expected/,
  },
  {
    name: 'a decorator',
    files: { 'handler.ts': 'const d = () => {};\n@d class A {}\nexport default () => new A();\n' },
    expected: { code: 'SyntaxError', file: 'handler.ts', line: 2 },
    message: /expected no decorators, which Node does not run: compile them first$/,
  },
  {
    name: 'a door of fnlet that there is not',
    files: { 'handler.mjs': 'import { a } from "fnlet/nothing";\nexport default a;\n' },
    expected: { code: 'MissingModule', file: 'handler.mjs', line: 1 },
    message: /found an import of "fnlet\/?.*", which is not there/,
  },
  {
    name: 'JSON that is none',
    files: { 'handler.js': 'require("./a.json");', 'a.json': '{ a }' },
    expected: { code: 'SyntaxError', file: 'a.json', line: 1, column: 3 },
    message: /^Cannot load "a\.json": found SyntaxError: a\.json: Expected .* expected valid JSON$/,
  },
  {
    name: 'JSON.parse failing at the top level',
    files: { 'handler.mjs': '\nJSON.parse("{");' },
    expected: { code: 'LoadError', file: 'handler.mjs', line: 2, column: 6 },
    message: /SyntaxError: Expected property name/,
  },
  {
    name: 'an empty file',
    files: { 'handler.js': '' },
    expected: { code: 'MissingExport', file: 'handler.js' },
    message: /found no exports, expected a default export \(request, context\) or an export main/,
  },
  {
    name: 'other exports than the handler',
    files: { 'handler.js': 'exports.handler = () => 1;\nexports.setup = () => 2;' },
    expected: { code: 'MissingExport', file: 'handler.js' },
    message: /found "handler", "setup", expected a default export/,
  },
  {
    name: 'a default export that is no function',
    files: { 'handler.mjs': 'export default 42;' },
    expected: { code: 'MissingExport', file: 'handler.mjs' },
    message: /found a default export of type number/,
  },
  {
    name: 'a named handler that is no function',
    files: { 'handler.mjs': 'export const greet = "hi";' },
    handler: 'greet',
    expected: { code: 'MissingExport', file: 'handler.mjs' },
    message: /^Cannot use handler "greet" of "handler\.mjs": found "greet", expected a function/,
  },
  {
    name: 'no entry file',
    files: { 'README.md': '# hi', 'app.js': '', 'server.js': '' },
    expected: { code: 'EntryNotFound' },
    message:
      /^Cannot find the entry of handler "default": found README\.md, app\.js, server\.js, exp/,
  },
  {
    name: 'no file for the module of the handler',
    files: { 'a.js': '', 'b.js': '' },
    handler: 'api.get',
    expected: { code: 'EntryNotFound' },
    message: /expected api with an extension of \.ts, \.mts/,
  },
];

for (const { name, files, handler, expected, message } of table) {
  test(`a Runner says where and why for ${name}`, async () => {
    const failure = await StartedRunner.fail(
      handler === undefined ? { files } : { files, handler },
    );
    const { code, file, line, column } = failure;
    const found = Object.fromEntries(
      Object.entries({ code, file, line, column }).filter(([key]) => key in expected),
    );
    assert.deepEqual(found, expected, JSON.stringify(failure));
    assert.match(failure.message, message);
    assert.doesNotMatch(failure.message, /\n/);
  });
}

test('a Runner whose code does not load says so on /readyz and lives on /healthz', async () => {
  await using runner = StartedRunner.warm();
  await runner.nextReport();
  assert.equal((await runner.call({ path: '/readyz' })).status, 503);
  runner.specialise({ files: { 'handler.js': 'throw 1' } });
  assert.equal((await runner.outcome()).type, 'failed');
  assert.equal((await runner.call({ path: '/readyz' })).status, 503);
  assert.equal((await runner.call({ path: '/healthz' })).status, 200);
  assert.equal((await runner.call()).status, 503);
});

for (const [what, code] of [
  ['an endless loop', 'for (;;);'],
  ['an await that nothing resolves', 'await new Promise(() => {}); export default () => 1;'],
] as const) {
  test(`code that comes to no end, by ${what}, is named before it runs`, async () => {
    await using runner = StartedRunner.warm();
    await runner.nextReport();
    runner.specialise({ files: { 'lib/api.js': code }, handler: 'lib/api.default' });
    assert.deepEqual(await runner.nextReport(), { type: 'loading', file: 'lib/api.js' });
  });
}
