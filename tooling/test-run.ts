import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listFiles, repositoryRoot } from './source-file.ts';

export type TestStage = 'unit' | 'npm' | 'client';

/** The kinds of tests, by what they need. */
export const testStages: Readonly<Record<TestStage, (path: string) => boolean>> = {
  /** Quick: beside the code, and part of `npm run check`. */
  unit: (path) => /\/src\/.*\.test\.ts$|^tooling\/.*\.test\.ts$/.test(path),
  /** Everything that needs nothing outside npm. */
  npm: (path) => !path.endsWith('.client.test.ts'),
  /** Tests against programs from outside: kubectl, npm's registry, nginx, a browser. */
  client: (path) => path.endsWith('.client.test.ts'),
};

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * Runs the test files of a stage in this Node and returns what came of them. A crash of the runner
 * itself counts as a failure, and so does a stage without any test.
 */
export function runTests(stage: TestStage, only: readonly string[] = []): TestCounts {
  const files = listFiles(['*.test.ts'])
    .filter(testStages[stage])
    .filter((path) => only.length === 0 || only.some((part) => path.includes(part)));
  const directory = mkdtempSync(join(tmpdir(), 'fnlet-test-'));
  const tapFile = join(directory, 'result.tap');
  try {
    const run = spawnSync(
      process.execPath,
      [
        '--test',
        // Two cores, and tests that start processes: more at once only makes them wait.
        '--test-concurrency=2',
        '--test-timeout=180000',
        '--test-reporter=dot',
        '--test-reporter-destination=stdout',
        '--test-reporter=tap',
        `--test-reporter-destination=${tapFile}`,
        ...files,
      ],
      { cwd: repositoryRoot, stdio: ['ignore', 'inherit', 'inherit'] },
    );
    const tap = readFileSync(tapFile, 'utf8');
    printSkipped(tap);
    const counts = parseCounts(tap);
    const crashed = run.status !== 0 && counts.failed === 0;
    return crashed || counts.passed === 0 ? { ...counts, failed: counts.failed + 1 } : counts;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The totals that node's TAP reporter writes at the end. */
export function parseCounts(tap: string): TestCounts {
  const count = (name: string): number =>
    Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(tap)?.[1] ?? 0);
  return {
    passed: count('pass'),
    failed: count('fail') + count('cancelled'),
    skipped: count('skipped'),
  };
}

// A skipped test says why; it must not disappear among the dots.
function printSkipped(tap: string): void {
  for (const line of tap.split('\n')) {
    const match = /^\s*ok \d+ - (.*) # SKIP ?(.*)$/.exec(line);
    if (match !== null) process.stdout.write(`\nskipped: ${match[1]}: ${match[2]}`);
  }
  process.stdout.write('\n');
}

export function sumCounts(counts: readonly TestCounts[]): TestCounts {
  const sum = (pick: (one: TestCounts) => number): number =>
    counts.reduce((total, one) => total + pick(one), 0);
  return {
    passed: sum((one) => one.passed),
    failed: sum((one) => one.failed),
    skipped: sum((one) => one.skipped),
  };
}

/** `N passed, N failed, N skipped`. */
export function formatCounts({ passed, failed, skipped }: TestCounts): string {
  const tail = skipped === 0 ? '' : `, ${skipped} skipped`;
  return `${passed} passed, ${failed} failed${tail}`;
}
