/**
 * `npm run check`: format, lint, types, layers, tidy and unit tests. `npm run check -- static` leaves
 * out the tests, for whoever runs all of them anyway.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from './source-file.ts';
import { formatCounts, noTests } from './tap.ts';
import { runTests } from './test-run.ts';

const bin = (name: string): string => join(repositoryRoot, 'node_modules', '.bin', name);

function run(name: string, command: string, args: readonly string[]): boolean {
  const startMs = performance.now();
  const { status } = spawnSync(command, args, {
    cwd: repositoryRoot,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  process.stdout.write(`${status === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)\n`);
  return status === 0;
}

const node = process.execPath;
const results = [
  run('format and lint', bin('biome'), ['ci', '--error-on-warnings', '.']),
  run('types', bin('tsc'), ['-p', '.']),
  // As a user compiles them: with the types that the published package offers.
  run('types of the examples', bin('tsc'), ['-p', 'examples']),
  run('layers', node, [join('tooling', 'layers.ts')]),
  run('tidy', node, [join('tooling', 'tidy.ts')]),
];
const isStatic = process.argv[2] === 'static';
const counts = isStatic ? noTests : await runTests('unit');
if (!isStatic) process.stdout.write(`${formatCounts(counts)}\n`);
process.exitCode = results.every(Boolean) && counts.failed === 0 ? 0 : 1;
