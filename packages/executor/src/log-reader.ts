import type { LogFile } from './log-file.ts';
import { LogSegment } from './log-segment.ts';
import { createLogView, type LogView } from './log-view.ts';

export interface ReadLogsOptions {
  /** Goes on with what is written later, until the run is over. Default false. */
  readonly follow?: boolean | undefined;
  /** The last run that another one follows, instead of the latest one. Default false. */
  readonly previous?: boolean | undefined;
  /** Another run follows the latest one, whether it has begun yet or not. Default false. */
  readonly awaitsRun?: boolean | undefined;
  /** Only so many lines from the end. */
  readonly tailLines?: number | undefined;
  /** Only lines written at or after this time, in milliseconds since the epoch. */
  readonly sinceMs?: number | undefined;
  /** Puts the time before each line. Default false. */
  readonly timestamps?: boolean | undefined;
  /** Ends after so many bytes. */
  readonly limitBytes?: number | undefined;
  /** Ends the reading, without an error. */
  readonly signal?: AbortSignal | undefined;
}

interface Cursor {
  readonly segment: number;
  readonly position: number;
}

/** Reads the log of one run, as the user's lines. Any number of readers may read at once. */
export async function* readLog(
  log: LogFile,
  options: ReadLogsOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const view = createLogView(options);
  let cursor = await seekStart(log, options.tailLines);
  let segment: LogSegment | undefined;
  try {
    while (options.signal?.aborted !== true && !view.full) {
      segment ??= LogSegment.open(log, cursor.segment);
      if (segment !== undefined && segment.number !== cursor.segment) {
        cursor = { segment: segment.number, position: 0 };
      }
      // Looked up before reading, so that what is written meanwhile is not missed.
      const { version, ended, rotations } = log;
      if (segment !== undefined) {
        cursor = { ...cursor, position: yield* readOn(segment, cursor.position, view) };
      }
      if (segment !== undefined && cursor.segment < rotations) {
        segment.close();
        segment = undefined;
        cursor = { segment: cursor.segment + 1, position: 0 };
      } else if (options.follow !== true || ended) {
        return;
      } else {
        await log.changed(version, options.signal);
      }
    }
  } finally {
    segment?.close();
  }
}

async function* readOn(
  segment: LogSegment,
  start: number,
  view: LogView,
): AsyncGenerator<Uint8Array, number, undefined> {
  let position = start;
  while (!view.full) {
    const lines = await segment.readLines(position);
    if (lines.length === 0) break;
    position += lines.length;
    const shown = view.show(lines);
    if (shown.length > 0) yield shown;
  }
  return position;
}

async function seekStart(log: LogFile, tailLines: number | undefined): Promise<Cursor> {
  const oldest = Math.max(0, log.rotations - 1);
  if (tailLines === undefined) return { segment: oldest, position: 0 };
  let missing = tailLines;
  for (let number = log.rotations; number >= oldest; number--) {
    const segment = LogSegment.open(log, number);
    if (segment === undefined) continue;
    try {
      const end = await segment.size();
      if (missing === 0) return { segment: segment.number, position: end };
      const found = await segment.seekBack(missing, end);
      if (found.missing === 0) return { segment: segment.number, position: found.position };
      missing = found.missing;
    } finally {
      segment.close();
    }
  }
  return { segment: oldest, position: 0 };
}
