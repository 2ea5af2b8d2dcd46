import type { InstallerOutput } from './installer-run.ts';
import { limits } from './limits.ts';

const codeLine = /^npm (error|ERR!) code /;

/**
 * What is worth keeping of npm's output: the lines from its error code on, because a long usage
 * text may follow, or else the last ones.
 */
export class NpmOutput implements InstallerOutput {
  #lines: string[] = [];
  #hasCode = false;

  get lines(): readonly string[] {
    return this.#lines;
  }

  add(line: string): void {
    if (!this.#hasCode && codeLine.test(line)) {
      this.#hasCode = true;
      this.#lines = [];
    }
    if (this.#lines.length < limits.installerLinesMax) {
      this.#lines.push(line);
    } else if (!this.#hasCode) {
      this.#lines.shift();
      this.#lines.push(line);
    }
  }
}
