/** What node's TAP reporter says of one test file: how many tests, and which of them failed. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const noTests: TestCounts = { passed: 0, failed: 0, skipped: 0 };

/** The totals at the end of a report; all 0 for one that was cut off before them. */
export function parseCounts(tap: string): TestCounts {
  const count = (name: string): number =>
    Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(tap)?.[1] ?? 0);
  return {
    passed: count('pass'),
    failed: count('fail') + count('cancelled'),
    skipped: count('skipped'),
  };
}

/** The tests that were skipped, each with its reason: it must not disappear among the dots. */
export function parseSkipped(tap: string): string[] {
  return tap.split('\n').flatMap((line) => {
    const match = /^\s*ok \d+ - (.*) # SKIP ?(.*)$/.exec(line);
    return match === null ? [] : [`${match[1]}: ${match[2]}`];
  });
}

/** The reports of failed tests, each from its `not ok` to the end of its details. */
export function parseFailures(tap: string): string[] {
  const failures: string[] = [];
  let failure: { readonly end: string; readonly lines: string[] } | undefined;
  for (const line of tap.split('\n')) {
    const start = /^( *)not ok \d+ - /.exec(line);
    if (start !== null) failure = { end: `${start[1]}  ...`, lines: [] };
    failure?.lines.push(line);
    if (failure === undefined || line !== failure.end) continue;
    // A suite that says only that a test in it failed says nothing.
    if (!failure.lines.some((one) => one.includes("'subtestsFailed'"))) {
      failures.push(failure.lines.join('\n'));
    }
    failure = undefined;
  }
  return failures;
}

/** What went wrong after its test was over: no test fails of it, only the file. */
export function parseLateErrors(tap: string): string[] {
  return tap.split('\n').filter((line) => line.startsWith('# Error: '));
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
