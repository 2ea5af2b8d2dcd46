import { createAutomaton } from './regex-automaton.ts';
import { compileRegexProgram, type RegexProgram } from './regex-program.ts';
import { findMatch } from './regex-search.ts';

/**
 * A compiled regular expression. Its time grows with the length of the text and never explodes,
 * as it would with JavaScript's own: patterns and texts come from users.
 */
export interface Regex {
  /** Whether it matches anywhere in `text`. */
  test(text: string): boolean;
  /** The texts of its matches, from the left, not overlapping. */
  matches(text: string): IteratorObject<string>;
}

/**
 * Compiles a pattern in RE2's syntax, which Kubernetes uses. Throws a SyntaxError with Go's text
 * for what is no pattern, lookaround and back-references included.
 */
export function compileRegex(pattern: string): Regex {
  const program = compileRegexProgram(pattern);
  return {
    test: program.looksAround
      ? (text) => findMatch(program, text, 0) !== undefined
      : createAutomaton(program),
    matches: (text) => allMatches(program, text),
  };
}

function* allMatches(program: RegexProgram, text: string): Generator<string> {
  let from = 0;
  let lastEnd = -1;
  while (from <= text.length) {
    const span = findMatch(program, text, from);
    if (span === undefined) return;
    // An empty match right behind another one is none (Go: FindAll).
    if (span.end > span.start || span.start !== lastEnd) yield text.slice(span.start, span.end);
    lastEnd = span.end;
    const isEmpty = span.end === span.start;
    from = isEmpty ? span.end + ((text.codePointAt(span.end) ?? 0) > 0xffff ? 2 : 1) : span.end;
  }
}
