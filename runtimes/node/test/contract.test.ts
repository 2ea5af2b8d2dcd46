import { readFileSync } from 'node:fs';
import { runnerContract } from '../../../packages/invocation/test/runner-contract.ts';
import { nodeRunner } from './started-runner.ts';

const source = (file: string): string =>
  readFileSync(new URL(`./contract/${file}`, import.meta.url), 'utf8');

for (const file of ['web.mjs', 'event.cjs']) {
  runnerContract({
    name: `the Node Runner with ${file}`,
    program: nodeRunner,
    contractFunction: { files: { [file]: source(file) } },
    broken: {
      files: { 'handler.js': 'const a = 1;\nexport const const = a;\n' },
      file: 'handler.js',
      line: 2,
    },
    withoutHandler: { files: { 'handler.js': 'exports.other = 1;' }, handler: 'main' },
  });
}
