import type { InstallerOutput } from './installer-run.ts';
import { limits } from './limits.ts';

// What explains everything that is said after it, however much that is.
const telling = /No space left on device|ENOSPC/;

/** The last lines of an output, and the first one that says what all others come of. */
export class LastLines implements InstallerOutput {
  readonly isIncomplete = false;
  readonly lines: string[] = [];

  add(line: string): void {
    this.lines.push(line);
    if (this.lines.length <= limits.installerLinesMax) return;
    this.lines.splice(telling.test(this.lines[0] ?? '') ? 1 : 0, 1);
  }
}
