/** The same Runner and the same function on each Python that the machine, or .ci/clients, has. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runnerContract } from '../packages/invocation/test/runner-contract.ts';
import { runnerArguments } from '../runtimes/python/test/python.ts';
import { createApi, type TestApi } from './api-access.ts';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';

const clients = join(import.meta.dirname, '../node_modules/.cache/clients');
const contract = join(import.meta.dirname, '../runtimes/python/test/contract');

// What pyenv chooses from lies beside its scripts.
function behindShims(directory: string): readonly string[] {
  const versions = join(dirname(directory), 'versions');
  if (basename(directory) !== 'shims' || !existsSync(versions)) return [directory];
  return readdirSync(versions).map((version) => join(versions, version, 'bin'));
}

function findProgram(name: string): string | undefined {
  const path = (process.env.PATH ?? '').split(delimiter).filter((each) => each !== '');
  return [...path.flatMap(behindShims), join(clients, name, 'bin'), join(clients, 'uv/bin')]
    .map((directory) => join(directory, name))
    .find((program) => existsSync(program));
}

const pythons = ['python3.11', 'python3.12', 'python3.13', 'python3.14'].map((name) => ({
  name,
  program: findProgram(name),
}));
const uv = findProgram('uv');

for (const { name, program = '' } of pythons) {
  const needs = program === '' ? { skip: `no ${name}; .ci/clients fetches 3.13 and 3.14` } : {};
  describe(name, needs, () => {
    for (const file of ['own.py', 'event.py', 'wsgi.py']) {
      const source = program === '' ? '' : readFileSync(join(contract, file), 'utf8');
      runnerContract({
        name: `the Runner on ${name} with ${file}`,
        program: [program, ...runnerArguments],
        contractFunction: { files: { [file]: source }, runtime: name },
        broken: {
          files: { 'handler.py': 'a = 1\ndef def(): pass\n' },
          file: 'handler.py',
          line: 2,
        },
        withoutHandler: { files: { 'handler.py': 'other = 1' }, handler: 'main' },
      });
    }
  });
}

describe('a function', { skip: uv === undefined && 'no uv; .ci/clients installs it' }, () => {
  let fnlet: FnletProcess;
  let api: TestApi;
  before(async () => {
    const found = pythons.flatMap(({ program }) => (program === undefined ? [] : [program]));
    const path = [uv ?? '', process.execPath, ...found].map(dirname);
    // A machine on which nothing says to pip alone where packages come from.
    const env = { PATH: [...path, '/usr/bin', '/bin'].join(delimiter) };
    fnlet = await startFnlet({ env });
    api = await createApi(fnlet.endpoints.kubeconfig);
  });
  after(async () => {
    await api.close();
    await fnlet[Symbol.asyncDispose]();
  });
  for (const { name, program } of pythons) {
    const needs = program === undefined ? { skip: `no ${name}` } : {};
    test(
      `runs on ${name} as its runtime says, with packages that uv installed`,
      needs,
      async () => {
        const function_ = name.replace('.', '-');
        // One with native code: its wheel is for one release of Python.
        await api.applyFunction(function_, {
          runtime: name,
          dependencies: 'markupsafe==3.0.3\n',
          source: {
            inline: `import sys
from markupsafe._speedups import _escape_inner
def handler(request):
    return "%d.%d %s" % (*sys.version_info[:2], _escape_inner("<b>"))`,
          },
        });
        await api.waitReady(function_);
        const answer = await fetch(`${fnlet.endpoints.gateway}/default/${function_}`);
        assert.equal(await answer.text(), `${name.replace('python', '')} &lt;b&gt;`);
      },
    );
  }
});
