import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from './source-file.ts';
import {
  noTests,
  parseCounts,
  parseFailures,
  parseLateErrors,
  parseSkipped,
  type TestCounts,
} from './tap.ts';

/** What became of one test file. */
export interface TestFileResult {
  readonly path: string;
  readonly seconds: number;
  readonly counts: TestCounts;
  /** Why it failed, in words for whoever reads the run; empty for one that passed. */
  readonly failures: readonly string[];
  readonly skipped: readonly string[];
}

export interface TestFileBounds {
  /** A folder for its report and its output. */
  readonly directory: string;
  /** How long it may run until it is ended and counts as failed, in milliseconds. */
  readonly boundMs: number;
}

/** The variable that tells which test file a process belongs to, whoever started it. */
const marker = 'FNLET_TEST_FILE';
/** Hangs are told by the test that hung; the bound of a file is for what hangs between tests. */
const testTimeoutMs = 180_000;
const outputBytesMax = 8_000;

/**
 * Runs one test file in a process of its own, and ends whatever it started and left. A file that
 * does not end in its time, ends by a signal or reports no test counts as one failure more.
 */
export async function runTestFile(path: string, bounds: TestFileBounds): Promise<TestFileResult> {
  const startMs = performance.now();
  const mark = `${process.pid}-${path}`;
  const tapFile = join(bounds.directory, `${path.replaceAll('/', '~')}.tap`);
  const outputFile = `${tapFile}.output`;
  const output = openSync(outputFile, 'w');
  const child = spawn(
    process.execPath,
    [
      `--test-timeout=${testTimeoutMs}`,
      '--test-reporter=tap',
      `--test-reporter-destination=${tapFile}`,
      path,
    ],
    {
      cwd: repositoryRoot,
      env: { ...process.env, [marker]: mark },
      stdio: ['ignore', output, output],
    },
  );
  closeSync(output);
  const end = await ended(child, bounds.boundMs);
  for (const pid of findMarked(mark)) kill(pid);
  const tap = readText(tapFile);
  const counts = parseCounts(tap);
  const failures = parseFailures(tap);
  const skipped = parseSkipped(tap);
  if (end !== 'exit 0' && counts.failed === 0) {
    failures.push(`the test file ended with ${end}`, ...parseLateErrors(tap));
  } else if (counts.passed + counts.failed + skipped.length === 0) failures.push('it has no test');
  if (failures.length > 0) {
    const text = readText(outputFile);
    if (text !== '') failures.push(`its output ended with:\n${text.slice(-outputBytesMax)}`);
  }
  const isCounted = failures.length === 0 || counts.failed > 0;
  return {
    path,
    seconds: (performance.now() - startMs) / 1000,
    counts: isCounted ? counts : { ...counts, failed: 1 },
    failures,
    skipped,
  };
}

/** A file that was not run, as the time for all of them was over. */
export function missedTestFile(path: string): TestFileResult {
  const counts = { ...noTests, failed: 1 };
  return { path, seconds: 0, counts, failures: ['not run: the time was over'], skipped: [] };
}

function ended(child: ChildProcess, boundMs: number): Promise<string> {
  return new Promise((resolve) => {
    let isLate = false;
    const bound = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, boundMs);
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => {
      clearTimeout(bound);
      if (isLate) resolve(`SIGKILL after ${Math.round(boundMs / 1000)} s`);
      else resolve(signal ?? `exit ${code}`);
    });
  });
}

/** The processes that carry the mark of a test file in their environment; none without /proc. */
function findMarked(mark: string): number[] {
  const pids = readFolder('/proc').filter((name) => /^\d+$/.test(name));
  const text = `${marker}=${mark}\0`;
  return pids.filter((pid) => `${readText(`/proc/${pid}/environ`)}\0`.includes(text)).map(Number);
}

function readFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself in between.
  }
}
