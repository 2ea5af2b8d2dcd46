import type { TestContext } from 'node:test';

/** How many recorded cases of each group pass, to be printed at the end of a run. */
export class PassTable {
  readonly #groups = new Map<string, { passed: number; failed: number; skipped: number }>();

  count(group: string, outcome: 'passed' | 'failed' | 'skipped'): void {
    const row = this.#groups.get(group) ?? { passed: 0, failed: 0, skipped: 0 };
    row[outcome]++;
    this.#groups.set(group, row);
  }

  print(context: TestContext): void {
    for (const [group, { passed, failed, skipped }] of this.#groups) {
      context.diagnostic(`${group}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
    }
  }
}
