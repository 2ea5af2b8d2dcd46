import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CallOptions, StartedRunner } from './started-runner.ts';

interface Style {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly handler?: string;
  readonly call?: CallOptions;
  readonly body?: string;
}

const styles: readonly Style[] = [
  {
    name: 'an ES module with a default export function (JavaScript)',
    files: { 'handler.js': 'export default () => "hi";' },
  },
  {
    name: 'an ES module with a default export function (stripped TypeScript)',
    files: { 'handler.ts': 'export default (request         , context)         => "hi";' },
  },
  {
    name: 'a CommonJS module with a function (stripped TypeScript without a package type)',
    files: { 'handler.ts': 'module.exports = () => "hi";' },
  },
  {
    name: 'imports by the paths of tsconfig.json',
    files: {
      'handler.ts': 'import { word } from "@lib/word";\nexport default () => word;',
      'src/word.ts': 'import one from "~/one.js";\nexport const word = one;',
      'src/one.ts': 'export default "hi";',
      'tsconfig.json': '{"compilerOptions": {"paths": {"@lib/*": ["./src/*"], "~/*": ["src/*"]}}}',
    },
  },
  {
    name: 'require by the paths of tsconfig.json, and by its baseUrl',
    files: {
      'handler.ts': 'const { word } = require("@lib");\nmodule.exports = () => word;',
      'src/index.ts': 'exports.word = require("deep/one").one;',
      'src/deep/one.ts': 'exports.one = "hi";',
      'tsconfig.json': '{"compilerOptions": {"baseUrl": "src", "paths": {"@lib": ["."]}}}',
    },
  },
  { name: '.mts', files: { 'handler.mts': 'export default () => "hi";' } },
  { name: '.cts', files: { 'handler.cts': 'module.exports = () => "hi";' } },
  {
    name: 'a default export with fetch',
    files: {
      'handler.js': 'export default { word: "hi", fetch() { return new Response(this.word); } };',
    },
  },
  {
    name: 'main of a literal in module.exports',
    files: {
      'handler.js': 'module.exports = { main: function (event, context) { return "hi"; } };',
    },
  },
  {
    name: 'main as an arrow function in module.exports',
    files: { 'handler.js': 'module.exports = { main: async (event, context) => "hi" };' },
  },
  {
    name: 'main as a shorthand method behind another property',
    files: { 'handler.js': 'module.exports = { other: 1, main(event) { return "hi"; } };' },
  },
  {
    name: 'main of an object that a variable holds',
    files: { 'handler.js': 'const h = { main: () => "hi" };\nmodule.exports = h;' },
  },
  {
    name: 'main of a class instance, with its this',
    files: {
      'handler.js':
        'class H { word = "hi"; main() { return this.word; } }\nmodule.exports = new H();',
    },
  },
  {
    name: 'a handler of the SDK, imported',
    files: {
      'handler.mjs': 'import { handler } from "fnlet";\nexport default handler(() => "hi");',
    },
  },
  {
    name: 'a handler of the SDK, required',
    files: {
      'handler.js':
        'const { eventHandler } = require("fnlet");\nexports.main = eventHandler(() => "hi");',
    },
  },
  { name: 'exports.main', files: { 'handler.js': 'exports.main = () => "hi";' } },
  { name: 'export const main', files: { 'handler.mjs': 'export const main = () => "hi";' } },
  {
    name: 'export default { main }',
    files: { 'handler.mjs': 'export default { main() { return "hi"; } };' },
  },
  {
    name: 'a re-export',
    files: {
      'handler.mjs': 'export { run as main } from "./inner.mjs";',
      'inner.mjs': 'export function run() { return "hi"; }',
    },
  },
  {
    name: 'a re-export in CommonJS',
    files: {
      'index.js': 'module.exports = require("./lib/inner");',
      'lib/inner.js': 'exports.main = () => "hi";',
    },
  },
  {
    name: 'what tsc makes of an export default',
    files: {
      'handler.js':
        'Object.defineProperty(exports, "__esModule", { value: true });\nexports.default = () => "hi";',
    },
  },
  {
    name: 'a named export',
    files: { 'handler.js': 'exports.greet = () => "hi";' },
    handler: 'greet',
  },
  {
    name: 'a named export of a named module',
    files: { 'src/api.ts': 'export const greet = () => "hi";', 'index.js': 'exports.greet = 1;' },
    handler: 'src/api.greet',
  },
  {
    name: 'the file that package.json names',
    files: {
      'package.json': '{ "main": "./lib/start.js", "type": "module" }',
      'lib/start.js': 'export default () => "hi";',
      'index.js': 'export default () => "wrong";',
    },
  },
  {
    name: 'imports of other source files, packages and JSON',
    files: {
      'handler.ts':
        'import { word } from "./word.ts";\nimport suffix from "suffix";\nimport data from "./data.json" with { type: "json" };\nexport default () => word + suffix + data.end;',
      'word.ts': 'export const word = "h";',
      'node_modules/suffix/index.js': 'module.exports = "i";',
      'data.json': '{ "end": "" }',
    },
  },
  {
    name: 'identity functions of the SDK',
    files: {
      'handler.ts': 'import { handler } from "fnlet";\nexport default handler(() => "hi");',
    },
  },
  {
    name: "a package named fnlet of the user's own",
    files: {
      'handler.js': 'import word from "fnlet";\nexport default () => word;',
      'node_modules/fnlet/package.json': '{ "name": "fnlet", "main": "index.js" }',
      'node_modules/fnlet/index.js': 'module.exports = "hi";',
    },
  },
  {
    name: 'top-level await',
    files: {
      'handler.ts': 'const word = await Promise.resolve("hi");\nexport default () => word;',
    },
  },
];

for (const { name, files, handler, call, body = 'hi' } of styles) {
  test(`a Runner serves ${name}`, async () => {
    await using runner = await StartedRunner.start(
      handler === undefined ? { files } : { files, handler },
    );
    const answer = await runner.call(call);
    assert.deepEqual([answer.status, answer.body], [200, body], runner.log);
  });
}

test('imports written for a compiler find their TypeScript', async () => {
  await using runner = await StartedRunner.start({
    files: {
      'handler.ts': `
        import { a } from './a';
        import { b } from './lib/b.js';
        import { c } from './lib';
        export default () => a + b + c;`,
      'a.ts': 'export const a = "a";',
      'lib/b.ts': 'export const b = "b";',
      'lib/index.ts': 'export const c = "c";',
    },
  });
  assert.equal((await runner.call({})).body, 'abc');
});
