/**
 * `npm test`: every test that needs nothing outside npm. `npm test -- client` runs the tests that
 * need programs from outside, `npm run test:cluster` those that need a cluster; further words keep
 * only the files whose path contains one of them.
 */
import { formatCounts } from './tap.ts';
import { runTests, type TestStage, testStages } from './test-run.ts';

const [first = 'npm', ...rest] = process.argv.slice(2);
const isStage = (word: string): word is TestStage => Object.hasOwn(testStages, word);
const counts = await (isStage(first)
  ? runTests(first, { only: rest })
  : runTests('npm', { only: [first, ...rest] }));
process.stdout.write(`${formatCounts(counts)}\n`);
process.exitCode = counts.failed === 0 ? 0 : 1;
