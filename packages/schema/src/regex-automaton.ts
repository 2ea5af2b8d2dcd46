import { regexCachedCodes, regexStatesMax } from './limits.ts';
import { isInClass } from './regex-class.ts';
import { assertionHolds, type RegexProgram, type Surroundings } from './regex-program.ts';

/*
 * Answers whether a program matches anywhere in a text, by a deterministic automaton whose states
 * are made when they are first needed.
 *
 * I1: a state holds the places that the text so far leads to, after all forks and the assertions
 *     that hold; places behind `textEnd` are decided by `acceptsAtEnd`.
 * I2: assertions of the program only speak of the start and the end of the text.
 * I3: there are at most regexStatesMax states with at most regexCachedCodes ways each; then all are
 *     forgotten and the walk goes on.
 */
interface State {
  readonly places: readonly number[];
  readonly matches: boolean;
  readonly acceptsAtEnd: boolean;
  readonly next: Map<number, State>;
}

const inside: Surroundings = { before: 0, after: 0 };

export function createAutomaton(program: RegexProgram): (text: string) => boolean {
  const states = new Map<string, State>();

  // The first state is where every walk begins, so its ways must be forgotten with the others.
  function forget(): void {
    states.clear();
    first.next.clear();
  }

  function stateOf(starts: readonly number[], around: Surroundings): State {
    const places = closure(program, starts, around);
    // The same places mean something else at the start of the text, where `^` still holds.
    const key = `${around.before === undefined ? '^' : ''}${places.join()}`;
    const known = states.get(key);
    if (known !== undefined) return known;
    if (states.size >= regexStatesMax) forget();
    const atEnd = closure(program, places, { ...around, after: undefined });
    const state: State = {
      places,
      matches: hasMatch(program, places),
      acceptsAtEnd: hasMatch(program, atEnd),
      next: new Map(),
    };
    states.set(key, state);
    return state;
  }

  const first = stateOf([program.start], { before: undefined, after: 0 });
  return (text) => {
    let state = first;
    for (let position = 0; position < text.length; ) {
      if (state.matches) return true;
      const code = text.codePointAt(position) ?? 0;
      position += code > 0xffff ? 2 : 1;
      const known = state.next.get(code);
      if (known !== undefined) {
        state = known;
        continue;
      }
      const starts = advance(program, state.places, code);
      const next = stateOf([...starts, program.start], inside);
      if (code < regexCachedCodes) state.next.set(code, next);
      state = next;
    }
    // Only the empty text is both at its start and at its end.
    return state.matches || (text === '' ? acceptsEmpty(program) : state.acceptsAtEnd);
  };
}

function acceptsEmpty(program: RegexProgram): boolean {
  const nowhere = { before: undefined, after: undefined };
  return hasMatch(program, closure(program, [program.start], nowhere));
}

function advance(program: RegexProgram, places: readonly number[], code: number): number[] {
  return places.flatMap((at) => {
    const step = program.steps[at];
    return step?.op === 'chars' && isInClass(step.set, code) ? [step.next] : [];
  });
}

// An assertion that does not hold yet stays as a place of its own: the text may end here.
function closure(
  program: RegexProgram,
  starts: readonly number[],
  around: Surroundings,
): readonly number[] {
  const seen = new Set<number>();
  const places: number[] = [];
  const waiting = [...starts];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const step = program.steps[at];
    if (step?.op === 'fork') waiting.push(step.first, step.second);
    else if (step?.op === 'assert' && assertionHolds(step.assertion, around)) {
      waiting.push(step.next);
    } else if (step?.op !== 'assert' || step.assertion === 'textEnd') places.push(at);
  }
  return places.sort((a, b) => a - b);
}

function hasMatch(program: RegexProgram, places: readonly number[]): boolean {
  return places.some((at) => program.steps[at]?.op === 'match');
}
