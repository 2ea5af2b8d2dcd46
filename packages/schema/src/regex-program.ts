import { regexProgramSizeMax } from './limits.ts';
import { type CharClass, isWordCode } from './regex-class.ts';
import { parseRegex, type RegexAssertion, type RegexNode } from './regex-syntax.ts';

/** An instruction of a nondeterministic automaton (Thompson, Pike); numbers are addresses. */
export type RegexStep =
  | { readonly op: 'chars'; readonly set: CharClass; readonly next: number }
  | { readonly op: 'assert'; readonly assertion: RegexAssertion; readonly next: number }
  /** Goes on at both; `first` is preferred. */
  | { readonly op: 'fork'; readonly first: number; readonly second: number }
  | { readonly op: 'match' };

export interface RegexProgram {
  readonly steps: readonly RegexStep[];
  readonly start: number;
  /** Whether assertions look at the characters around them, and not only at start and end. */
  readonly looksAround: boolean;
}

/** Compiles a pattern. Throws a SyntaxError when it is none, or too large. */
export function compileRegexProgram(pattern: string): RegexProgram {
  const steps: RegexStep[] = [{ op: 'match' }];
  const start = emit(parseRegex(pattern), 0, steps);
  const looksAround = steps.some(
    (step) => step.op === 'assert' && !['textStart', 'textEnd'].includes(step.assertion),
  );
  return { steps, start, looksAround };
}

// Steps are emitted from the end to the start: `next` is where the node goes on.
function emit(node: RegexNode, next: number, steps: RegexStep[]): number {
  switch (node.kind) {
    case 'chars':
      return push(steps, { op: 'chars', set: node.set, next });
    case 'assertion':
      return push(steps, { op: 'assert', assertion: node.assertion, next });
    case 'sequence':
      return node.items.reduceRight((after, item) => emit(item, after, steps), next);
    case 'choice': {
      const starts = node.items.map((item) => emit(item, next, steps));
      return starts.reduceRight((second, first) => push(steps, { op: 'fork', first, second }));
    }
    case 'repeat':
      return emitRepeat(node, next, steps);
  }
}

function emitRepeat(
  node: Extract<RegexNode, { readonly kind: 'repeat' }>,
  next: number,
  steps: RegexStep[],
): number {
  const { item, min, max, greedy } = node;
  const fork = (inside: number, outside: number): RegexStep => {
    const [first, second] = greedy ? [inside, outside] : [outside, inside];
    return { op: 'fork', first, second };
  };
  let start = next;
  if (max === undefined) {
    // The loop needs its own address before its body exists, so it is put in place afterwards.
    const loop = push(steps, { op: 'match' });
    steps[loop] = fork(emit(item, loop, steps), next);
    start = loop;
  } else {
    for (let i = min; i < max; i += 1) start = push(steps, fork(emit(item, start, steps), next));
  }
  for (let i = 0; i < min; i += 1) start = emit(item, start, steps);
  return start;
}

function push(steps: RegexStep[], step: RegexStep): number {
  if (steps.length >= regexProgramSizeMax) {
    throw new SyntaxError('error parsing regexp: expression too large');
  }
  steps.push(step);
  return steps.length - 1;
}

/** The characters around a position; `undefined` beyond the text. */
export interface Surroundings {
  readonly before: number | undefined;
  readonly after: number | undefined;
}

export function assertionHolds(assertion: RegexAssertion, around: Surroundings): boolean {
  const { before, after } = around;
  switch (assertion) {
    case 'textStart':
      return before === undefined;
    case 'textEnd':
      return after === undefined;
    case 'lineStart':
      return before === undefined || before === 0x0a;
    case 'lineEnd':
      return after === undefined || after === 0x0a;
    case 'word':
      return isWordCode(before) !== isWordCode(after);
    case 'notWord':
      return isWordCode(before) === isWordCode(after);
  }
}
