import { dirname, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fs } from './builtins.ts';

/** A place in the user's code; line and column are 1-based. */
export interface SourcePosition {
  /** Absolute path. */
  readonly path: string;
  readonly line?: number;
  readonly column?: number;
}

/**
 * Where a syntax error lies. CommonJS errors carry it in their stack; for an ES module, which is
 * the one that was read last, it has to be found out.
 */
export function syntaxErrorPosition(
  error: SyntaxError,
  lastLoadedUrl: string | undefined,
): SourcePosition | undefined {
  const inStack = arrowPosition(error.stack ?? '');
  if (inStack !== undefined) return inStack;
  if (lastLoadedUrl?.startsWith('file:') !== true) return undefined;
  const path = fileURLToPath(lastLoadedUrl);
  const position = path.endsWith('.json') ? jsonPosition(error) : checkedPosition(path);
  return position && { ...position, path };
}

/** The innermost frame of an error's stack in a file of the source. */
export function framePosition(error: Error, sourceDirectory: string): SourcePosition | undefined {
  const frames = /(?:\(|at |async )((?:file:\/\/)?\/[^()\n]*?):(\d+):(\d+)\)?$/gm;
  for (const [, place = '', line, column] of (error.stack ?? '').matchAll(frames)) {
    const path = pathOf(place);
    if (!path.startsWith(`${sourceDirectory}${sep}`)) continue;
    return { path, line: Number(line), column: Number(column) };
  }
  return undefined;
}

/** Where a file imports or requires what Node did not find: a package name or an absolute path. */
export function importPosition(path: string, missing: string): SourcePosition {
  for (const [index, line] of readLines(path).entries()) {
    for (const match of line.matchAll(/(['"`])([^'"`]+)\1/g)) {
      const specifier = match[2] ?? '';
      const target = specifier.startsWith('.') ? resolve(dirname(path), specifier) : specifier;
      if (target === missing || specifier === missing || specifier.startsWith(`${missing}/`)) {
        return { path, line: index + 1, column: match.index + 1 };
      }
    }
  }
  return { path };
}

type LineAndColumn = Omit<SourcePosition, 'path'>;

// `Expected property name or '}' in JSON at position 2 (line 1 column 3)`
function jsonPosition(error: SyntaxError): LineAndColumn | undefined {
  const match = /\(line (\d+) column (\d+)\)/.exec(error.message);
  return match === null ? undefined : { line: Number(match[1]), column: Number(match[2]) };
}

// Node prints where a syntax error in an ES module is but does not tell the program, so it is asked
// once more, in a process of its own, on this path that ends the Runner anyway.
function checkedPosition(path: string): LineAndColumn | undefined {
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--check', '-'], {
    input: readLines(path).join('\n'),
    encoding: 'utf8',
    env: {},
  });
  return arrowPosition(stderr ?? '');
}

// The head of such a text: `<path or URL>:<line>`, the line itself, and a caret below the column,
// or only blanks up to it where the source ends too early.
function arrowPosition(text: string): SourcePosition | undefined {
  const match = /^(\S.*):(\d+)\n.*\n([ \t]*)(?:\^|\n)/.exec(text);
  if (match === null) return undefined;
  const [, place = '', line, indent = ''] = match;
  return { path: pathOf(place), line: Number(line), column: indent.length + 1 };
}

function pathOf(place: string): string {
  return place.startsWith('file:') ? fileURLToPath(place) : place;
}

/** The text of a line, counted from 1; empty when there is none. */
export function lineOf(path: string, line: number | undefined): string {
  return readLines(path)[(line ?? 0) - 1] ?? '';
}

function readLines(path: string): readonly string[] {
  try {
    return fs.readFileSync(path, 'utf8').split('\n');
  } catch {
    return [];
  }
}
