import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listFiles } from './source-file.ts';
import { sumCounts, type TestCounts } from './tap.ts';
import { missedTestFile, runTestFile, type TestFileResult } from './test-file.ts';

export type TestStage = 'unit' | 'npm' | 'client' | 'cluster';

/** The kinds of tests, by what they need. */
export const testStages: Readonly<Record<TestStage, (path: string) => boolean>> = {
  /** Quick: beside the code, and part of `npm run check`. */
  unit: (path) => /\/src\/.*\.test\.ts$|^tooling\/.*\.test\.ts$/.test(path),
  /** Everything that needs nothing outside npm. */
  npm: (path) => !/\.(client|cluster)\.test\.ts$/.test(path),
  /** Tests against programs from outside: kubectl, npm's registry, nginx, a browser. */
  client: (path) => path.endsWith('.client.test.ts'),
  /** Tests against any Kubernetes that `KUBECONFIG` names; they skip without it. */
  cluster: (path) => path.endsWith('.cluster.test.ts'),
};

export interface TestRunOptions {
  /** Keeps the files whose path contains one of these; all files if it is empty. */
  readonly only?: readonly string[];
  /** When all of it must be over, in milliseconds of `performance.now()`; never by default. */
  readonly deadlineMs?: number;
}

/** Two cores, and tests that start processes: more at once only makes them wait. */
const filesAtOnce = 2;
/** Those that share a cluster install Fnlet there, and uninstall it. */
const clusterFilesAtOnce = 1;
/** Three times what the longest file needs. */
const fileBoundMs = 600_000;
/** The files that a run names at its end, so that slow ones are seen. */
const slowestShown = 5;

/**
 * Runs the test files of a stage, a process each, prints what fails as soon as it has, and returns
 * what came of them. A stage without any test counts as a failure.
 */
export async function runTests(
  stage: TestStage,
  { only = [], deadlineMs = Number.POSITIVE_INFINITY }: TestRunOptions = {},
): Promise<TestCounts> {
  const files = listFiles(['*.test.ts'])
    .filter(testStages[stage])
    .filter((path) => only.length === 0 || only.some((part) => path.includes(part)));
  const ordered = files.toSorted((a, b) => Number(isOfWhole(b)) - Number(isOfWhole(a)));
  const directory = mkdtempSync(join(tmpdir(), 'fnlet-test-'));
  const results: TestFileResult[] = [];
  const waiting = ordered.values();
  async function work(): Promise<void> {
    // All workers take from one iterator: each file is run once.
    for (const path of waiting) {
      const boundMs = Math.min(fileBoundMs, deadlineMs - performance.now());
      const result =
        boundMs <= 0 ? missedTestFile(path) : await runTestFile(path, { directory, boundMs });
      results.push(result);
      printResult(result, results.length);
    }
  }
  try {
    const length = stage === 'cluster' ? clusterFilesAtOnce : filesAtOnce;
    await Promise.all(Array.from({ length }, work));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  printEnd(results);
  const counts = sumCounts(results.map((one) => one.counts));
  const hasTests = counts.passed > 0 || results.some(({ skipped }) => skipped.length > 0);
  return !hasTests ? { ...counts, failed: counts.failed + 1 } : counts;
}

/** Tests of the whole product take longest: one that is begun last has a core for itself. */
function isOfWhole(path: string): boolean {
  return path.startsWith('test/');
}

function printResult(result: TestFileResult, number: number): void {
  const { path, failures, seconds } = result;
  if (failures.length === 0) process.stdout.write(number % 50 === 0 ? `. ${number}\n` : '.');
  else process.stdout.write(`\nFAILED ${path} (${seconds.toFixed(0)} s)\n${failures.join('\n')}\n`);
}

function printEnd(results: readonly TestFileResult[]): void {
  process.stdout.write('\n');
  for (const { path, skipped } of results) {
    for (const one of skipped) process.stdout.write(`skipped in ${path}: ${one}\n`);
  }
  const slowest = results.toSorted((a, b) => b.seconds - a.seconds).slice(0, slowestShown);
  const names = slowest.map(({ path, seconds }) => `${path} ${seconds.toFixed(0)} s`);
  process.stdout.write(`${results.length} test files; the slowest: ${names.join(', ')}\n`);
}
