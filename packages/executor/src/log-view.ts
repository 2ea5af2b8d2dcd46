import { formatLogPrefix, parseLogLine } from './log-line.ts';

export interface LogViewOptions {
  readonly sinceMs?: number | undefined;
  readonly timestamps?: boolean | undefined;
  readonly limitBytes?: number | undefined;
}

/** Turns lines of a log file into what the user reads. */
export interface LogView {
  /** Takes whole lines, gives their content in bytes of its own. */
  show(lines: Uint8Array): Uint8Array;
  /** The limit is reached: nothing more will be shown. */
  readonly full: boolean;
}

const lineFeed = 0x0a;
const lineEnd = Buffer.from('\n');

export function createLogView(options: LogViewOptions): LogView {
  // Times of one width compare as text.
  const since =
    options.sinceMs === undefined ? '' : formatLogPrefix(options.sinceMs, 'stdout', false);
  let leftBytes = options.limitBytes ?? Number.POSITIVE_INFINITY;
  let continues = false;
  return {
    get full() {
      return leftBytes <= 0;
    },
    show(lines) {
      const pieces: Uint8Array[] = [];
      for (let from = 0; from < lines.length; ) {
        const to = lines.indexOf(lineFeed, from);
        const line = parseLogLine(lines.subarray(from, to));
        from = to + 1;
        if (line === undefined || line.time < since.slice(0, line.time.length)) continue;
        if (options.timestamps === true && !continues) pieces.push(Buffer.from(`${line.time} `));
        pieces.push(line.content);
        if (!line.partial) pieces.push(lineEnd);
        continues = line.partial;
      }
      const shown = Buffer.concat(pieces);
      const cut = shown.length > leftBytes ? shown.subarray(0, leftBytes) : shown;
      leftBytes -= cut.length;
      return cut;
    },
  };
}
