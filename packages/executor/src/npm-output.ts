import type { InstallerOutput } from './installer-run.ts';
import { limits } from './limits.ts';

const codeLine = /^npm (error|ERR!) code /;

// npm only warns of files that it could not write, and ends well. Listed is what depends on the
// machine and the moment; the rest is as it is for everybody who installs this package.
const lossLine =
  /^npm (warn|WARN) tar TAR_ENTRY_ERROR (ENOSPC|EDQUOT|EIO|EROFS|EFBIG|EMFILE|ENFILE)\b/;

/**
 * What is worth keeping of npm's output: the lines from its error code on, because a long usage
 * text may follow, or else the last ones.
 */
export class NpmOutput implements InstallerOutput {
  #lines: string[] = [];
  #hasCode = false;
  #isIncomplete = false;

  get lines(): readonly string[] {
    return this.#lines;
  }

  get isIncomplete(): boolean {
    return this.#isIncomplete;
  }

  add(line: string): void {
    const isLoss = lossLine.test(line);
    if (isLoss) this.#isIncomplete = true;
    if (!this.#hasCode && (isLoss || codeLine.test(line))) {
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
