import { readFileSync } from 'node:fs';
import { describe } from 'node:test';
import { runnerContract } from '../../../packages/invocation/test/runner-contract.ts';
import { needsPython } from './python.ts';
import { pythonRunner } from './started-runner.ts';

const source = (file: string): string =>
  readFileSync(new URL(`./contract/${file}`, import.meta.url), 'utf8');

describe('the contract', needsPython, () => {
  for (const file of ['own.py', 'event.py', 'wsgi.py']) {
    runnerContract({
      name: `the Python Runner with ${file}`,
      program: pythonRunner,
      contractFunction: { files: { [file]: source(file) }, runtime: 'python3.11' },
      broken: {
        files: { 'handler.py': 'a = 1\ndef def(): pass\n' },
        file: 'handler.py',
        line: 2,
      },
      withoutHandler: { files: { 'handler.py': 'other = 1' }, handler: 'main' },
    });
  }
});
