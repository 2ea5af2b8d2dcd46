/** What the owner is told of code that does not load. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoadFailure } from '@fnlet/invocation';
import { needsPython } from './python.ts';
import { StartedRunner, type StartOptions } from './started-runner.ts';

interface Case extends StartOptions {
  readonly name: string;
  readonly failure: Omit<LoadFailure, 'message' | 'stack'>;
  readonly message: RegExp;
}

const cases: readonly Case[] = [
  {
    name: 'a syntax error',
    files: { 'handler.py': 'def handler(request):\n  return (1\n' },
    failure: { code: 'SyntaxError', file: 'handler.py', line: 2, column: 10 },
    message: /^Cannot load "handler.py": found SyntaxError: '\(' was never closed, expected valid/,
  },
  {
    name: 'an indentation error in another file',
    files: { 'handler.py': 'import other', 'other.py': 'def a():\nreturn 1' },
    failure: { code: 'SyntaxError', file: 'other.py', line: 2, column: 1 },
    message: /IndentationError/,
  },
  {
    name: 'a module that is not there',
    files: { 'handler.py': 'import os\nimport left_pad\n' },
    failure: { code: 'MissingModule', file: 'handler.py', line: 2, column: 1 },
    message: /found an import of "left_pad", which is not there, expected the file .*requirements/,
  },
  {
    name: 'an error at the top of a file',
    files: { 'handler.py': 'import other', 'other.py': 'x = {}\ny = x["missing"]' },
    failure: { code: 'LoadError', file: 'other.py', line: 2, column: 5 },
    message: /found KeyError: 'missing', expected a module that loads without an error/,
  },
  {
    name: 'a module that ends the process',
    files: { 'handler.py': 'import sys\nsys.exit(3)' },
    failure: { code: 'LoadError', file: 'handler.py', line: 2, column: 1 },
    message: /SystemExit: 3/,
  },
  {
    name: 'a handler that is not there',
    files: { 'handler.py': 'def other(): pass\nclass main: pass' },
    failure: { code: 'MissingExport', file: 'handler.py' },
    message:
      /^Cannot use handler "default" of "handler.py": found "other", a class "main", expected/,
  },
  {
    name: 'a name that is not there',
    handler: 'handler.greet',
    files: { 'handler.py': 'greet = 1' },
    failure: { code: 'MissingExport', file: 'handler.py' },
    message: /found no functions, expected a function "greet"/,
  },
  {
    name: 'no entry',
    files: { 'a.py': '', 'b.py': '' },
    failure: { code: 'EntryNotFound' },
    message: /found a.py, b.py, expected one of handler, main, app, index with .py/,
  },
  {
    name: 'an app that fails to start',
    files: {
      'app.py': `
async def app(scope, receive, send):
    await receive()
    await send({"type": "lifespan.startup.failed", "message": "no database"})`,
    },
    failure: { code: 'LoadError', file: 'app.py' },
    message: /LifespanFailed: no database/,
  },
];

for (const { name, failure, message, ...options } of cases) {
  test(`${name} is reported`, needsPython, async () => {
    const { message: told, stack, ...found } = await StartedRunner.fail(options);
    assert.deepEqual(found, failure);
    assert.match(told, message);
    assert.doesNotMatch(`${told}${stack}`, /fnlet_runner\/|importlib/);
  });
}

test('a call that waited while the code did not load is answered 503', needsPython, async () => {
  await using runner = StartedRunner.warm();
  await runner.nextReport();
  runner.specialise({ files: { 'handler.py': 'import time\ntime.sleep(0.1)\nraise ValueError' } });
  assert.equal((await runner.nextReport()).type, 'loading');
  const waiting = runner.call();
  assert.equal((await runner.nextReport()).type, 'failed');
  assert.deepEqual((await waiting).body, 'No function is loaded');
});
