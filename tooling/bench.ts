/**
 * `npm run bench -- <name> …`: runs one benchmark, or lists them. Each lives in `bench/<name>.ts` of
 * a room or of the house, measures a peer or a limit in the same run, and prints one table and,
 * last, one line of JSON.
 */
import { spawnSync } from 'node:child_process';
import { basename, join } from 'node:path';
import { listFiles, repositoryRoot } from './source-file.ts';

const benches = new Map(
  listFiles(['packages/*/bench/*.ts', 'bench/*.ts'])
    .filter((path) => !basename(path).startsWith('_'))
    .map((path) => [basename(path, '.ts'), path]),
);
const [name, ...args] = process.argv.slice(2);
const file = name === undefined ? undefined : benches.get(name);
if (file === undefined) {
  const found = name === undefined ? '' : `No benchmark is called "${name}".\n`;
  process.stderr.write(`${found}Benchmarks: ${[...benches.keys()].sort().join(', ')}\n`);
  process.exitCode = 2;
} else {
  const run = spawnSync(process.execPath, [join(repositoryRoot, file), ...args], {
    cwd: repositoryRoot,
    stdio: 'inherit',
  });
  process.exitCode = run.status ?? 1;
}
