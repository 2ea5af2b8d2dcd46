/**
 * The rest of `.ci/run`, once the clients are there: all tests, in both stages, and one closing
 * line `N passed, N failed`.
 */
import { spawnSync } from 'node:child_process';
import { repositoryRoot } from './source-file.ts';
import { formatCounts, sumCounts } from './tap.ts';
import { runTests } from './test-run.ts';

/** A run that hangs or crawls still ends with its closing line. */
const deadlineMs = 80 * 60_000;

// The unit tests are a part of `npm test`.
const checkCommand = ['run', 'check', '--', 'static'];
const check = spawnSync('npm', checkCommand, { cwd: repositoryRoot, stdio: 'inherit' });
process.stdout.write('\nnpm test\n');
const npm = await runTests('npm', { deadlineMs });
process.stdout.write(`${formatCounts(npm)}\n\nTests with real clients\n`);
const client = await runTests('client', { deadlineMs });
const failedCheck = { passed: 0, failed: check.status === 0 ? 0 : 1, skipped: 0 };
const total = sumCounts([failedCheck, npm, client]);
if (check.status !== 0) process.stdout.write('npm run check failed (see above)\n');
process.stdout.write(`${formatCounts(total)}\n`);
process.exitCode = total.failed === 0 ? 0 : 1;
