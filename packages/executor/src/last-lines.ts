import type { InstallerOutput } from './installer-run.ts';
import { limits } from './limits.ts';

/** The last lines of an output. */
export class LastLines implements InstallerOutput {
  readonly isIncomplete = false;
  readonly lines: string[] = [];

  add(line: string): void {
    this.lines.push(line);
    if (this.lines.length > limits.installerLinesMax) this.lines.shift();
  }
}
