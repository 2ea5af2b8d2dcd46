import { comparedCellsMax } from '../limits.ts';

/** A line of a difference: `-` only before, `+` only after, a blank in both. */
export interface DifferenceLine {
  readonly mark: ' ' | '-' | '+';
  readonly line: string;
}

/** Lines around a change that are shown, as `diff -u` has it. */
const around = 3;

/** How two texts differ, line by line: what is left out and added is as little as can be. */
export function compareLines(before: string, after: string): readonly DifferenceLine[] {
  const a = linesOf(before);
  const b = linesOf(after);
  let first = 0;
  while (first < a.length && first < b.length && a[first] === b[first]) first += 1;
  let last = 0;
  while (last < Math.min(a.length, b.length) - first && a.at(-1 - last) === b.at(-1 - last)) {
    last += 1;
  }
  const same = (line: string): DifferenceLine => ({ mark: ' ', line });
  return [
    ...a.slice(0, first).map(same),
    ...compareMiddles(a.slice(first, a.length - last), b.slice(first, b.length - last)),
    ...a.slice(a.length - last).map(same),
  ];
}

function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

/** By the longest common subsequence; where that takes too much, all is taken for changed. */
function compareMiddles(a: readonly string[], b: readonly string[]): readonly DifferenceLine[] {
  const width = b.length + 1;
  if (a.length * b.length > comparedCellsMax) {
    return [...a.map((line) => removed(line)), ...b.map((line) => added(line))];
  }
  // common[i * width + j]: length of the longest common subsequence of a from i and b from j.
  const common = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DifferenceLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && left === right) {
      lines.push({ mark: ' ', line: left });
      i += 1;
      j += 1;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(removed(left));
      i += 1;
    } else {
      lines.push(added(right ?? ''));
      j += 1;
    }
  }
  return lines;
}

function removed(line: string): DifferenceLine {
  return { mark: '-', line };
}

function added(line: string): DifferenceLine {
  return { mark: '+', line };
}

/** The changes with some lines around them, in the unified format; empty where nothing differs. */
export function formatDifference(lines: readonly DifferenceLine[]): string {
  const hunks = hunksOf(lines);
  return hunks.map(({ from, to }) => formatHunk(lines, from, to)).join('');
}

interface Hunk {
  readonly from: number;
  to: number;
}

function hunksOf(lines: readonly DifferenceLine[]): readonly Hunk[] {
  const hunks: Hunk[] = [];
  lines.forEach(({ mark }, index) => {
    if (mark === ' ') return;
    const last = hunks.at(-1);
    const to = Math.min(lines.length, index + around + 1);
    if (last !== undefined && index - around <= last.to) last.to = to;
    else hunks.push({ from: Math.max(0, index - around), to });
  });
  return hunks;
}

function formatHunk(lines: readonly DifferenceLine[], from: number, to: number): string {
  const place = (skipped: '-' | '+'): string => {
    const count = (part: readonly DifferenceLine[]): number =>
      part.filter(({ mark }) => mark !== skipped).length;
    const before = count(lines.slice(0, from));
    const length = count(lines.slice(from, to));
    // As POSIX diff -u: an empty range is named by the line before it.
    return `${length === 0 ? before : before + 1},${length}`;
  };
  const shown = lines.slice(from, to).map(({ mark, line }) => `${mark}${line}\n`);
  return `@@ -${place('+')} +${place('-')} @@\n${shown.join('')}`;
}
