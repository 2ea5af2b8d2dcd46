import { isInClass } from './regex-class.ts';
import { assertionHolds, type RegexProgram, type Surroundings } from './regex-program.ts';

export interface RegexSpan {
  readonly start: number;
  readonly end: number;
}

/** A place in the program that the text so far leads to; `start` is where its match began. */
interface Thread {
  readonly at: number;
  readonly start: number;
}

/**
 * The leftmost match at or after `from`, preferring alternatives as written (Pike's algorithm):
 * all threads walk the text side by side, so the time grows with text times program and never
 * faster.
 */
export function findMatch(
  program: RegexProgram,
  text: string,
  from: number,
): RegexSpan | undefined {
  let threads: Thread[] = [];
  let found: RegexSpan | undefined;
  let before = from === 0 ? undefined : codeBefore(text, from);
  for (let position = from; ; ) {
    const code = text.codePointAt(position);
    const around = { before, after: code };
    const here: Thread[] = [];
    const reaching = { around, seen: new Set<number>(), reached: here };
    for (const thread of threads) follow(program, thread, reaching);
    if (found === undefined) follow(program, { at: program.start, start: position }, reaching);
    const cut = here.findIndex(({ at }) => program.steps[at]?.op === 'match');
    if (cut >= 0) {
      // Threads after the match are less preferred; those before may still give a better one.
      found = { start: here[cut]?.start ?? position, end: position };
      here.length = cut;
    }
    if (code === undefined || (here.length === 0 && found !== undefined)) return found;
    threads = here.flatMap(({ at, start }) => {
      const step = program.steps[at];
      return step?.op === 'chars' && isInClass(step.set, code) ? [{ at: step.next, start }] : [];
    });
    before = code;
    position += code > 0xffff ? 2 : 1;
  }
}

/** What is known of one position of the text, while threads arrive there. */
interface Position {
  readonly around: Surroundings;
  /** The places that some thread, a more preferred one, already reached. */
  readonly seen: Set<number>;
  readonly reached: Thread[];
}

/** Adds the places that a thread reaches without reading on, in order of preference. */
function follow(program: RegexProgram, thread: Thread, { around, seen, reached }: Position): void {
  const waiting = [thread.at];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const step = program.steps[at];
    if (step?.op === 'fork') waiting.push(step.second, step.first);
    else if (step?.op === 'assert') {
      if (assertionHolds(step.assertion, around)) waiting.push(step.next);
    } else reached.push({ at, start: thread.start });
  }
}

function codeBefore(text: string, position: number): number | undefined {
  const unit = text.charCodeAt(position - 1);
  const isLow = unit >= 0xdc00 && unit <= 0xdfff;
  return isLow && position > 1 ? text.codePointAt(position - 2) : unit;
}
