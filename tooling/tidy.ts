/**
 * The house rules that a formatter and a type checker do not know: how long a file and a function
 * may be, what they may be called, who may touch the world, where time and chance come from.
 */
import { basename } from 'node:path';
import { checkDocuments } from './documents.ts';
import { roomOf } from './layers.ts';
import {
  importsOf,
  isTest,
  listFiles,
  readSourceFiles,
  reportViolations,
  type SourceFile,
  type Violation,
} from './source-file.ts';

/** Budgets of the style guide (STYLE.md, rules 5 and 6). */
export const budgets = {
  fileLines: 500,
  testFileLines: 1000,
  functionLines: 70,
  lineColumns: 100,
  parameters: 3,
} as const;

// The rooms that touch the outside world; everybody else is handed what it needs (rule 12).
const touchingRooms: ReadonlySet<string> = new Set([
  'store',
  'client',
  'apiserver',
  'executor',
  'gateway',
  'dashboard',
  'runtime-node',
  'runtime-python',
  'server',
  'cli',
]);

const touchingModules =
  /^node:(fs|fs\/promises|net|tls|http|https|http2|child_process|worker_threads|dgram)$/;

// Files that are allowed to know the real clock and real chance: they are what is injected.
const sourcesOfTimeAndChance: ReadonlySet<string> = new Set([
  'packages/base/src/clock.ts',
  'packages/base/src/random.ts',
  'packages/base/src/virtual-clock.ts',
]);

const ambientTimeAndChance =
  /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bsetTimeout\(|\bsetInterval\(|\bperformance\.now\(/;

const vagueFileNames = /^(types|utils?|helpers?|constants|common|misc|shared|data|info)\.ts$/;

/** All violations of the house rules in one file. */
export function checkTidy(file: SourceFile): Violation[] {
  const lines = file.text.split('\n');
  return [
    ...checkName(file),
    ...checkLength(file, lines),
    ...checkFunctions(file, lines),
    ...checkImports(file),
    ...checkDoor(file, lines),
    ...lines.flatMap((text, index) => checkLine(file.path, text, index + 1)),
  ];
}

/** The rules that also hold for Python: lengths, open ends. */
export function checkPython(file: SourceFile): Violation[] {
  const lines = file.text.split('\n');
  return [
    ...checkLength(file, lines),
    ...lines.flatMap((text, index) => {
      const limit = budgets.lineColumns;
      const messages: string[] = [];
      if (text.length > limit) messages.push(`${text.length} columns, expected at most ${limit}`);
      if (openEnd.test(text)) messages.push(openEndMessage);
      return messages.map((message) => ({ path: file.path, line: index + 1, message }));
    }),
  ];
}

function checkName({ path }: SourceFile): Violation[] {
  const name = basename(path);
  if (vagueFileNames.test(name)) {
    return [{ path, line: 0, message: `"${name}" says nothing: name the file for its one noun` }];
  }
  if (!/^_?[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)*\.m?ts$/.test(name)) {
    return [{ path, line: 0, message: `file name "${name}" is not kebab-case` }];
  }
  return [];
}

function checkLength({ path }: SourceFile, lines: readonly string[]): Violation[] {
  // Nobody reads what a program wrote from beginning to end.
  if (lines[0]?.startsWith('// Written by tooling/')) return [];
  const limit = isTest(path) ? budgets.testFileLines : budgets.fileLines;
  const count = lines.length - 1;
  if (count <= limit) return [];
  return [{ path, line: 0, message: `${count} lines, expected at most ${limit}` }];
}

const functionStart =
  /^(\s*)(?:export )?(?:default )?(?:(?:static |readonly |private )*(?:async )?(?:function\b|\*?#?[\w$]+(?:<[^>]*>)?\()|(?:const|let) [\w$]+(?::[^=]+)? = (?:async )?(?:function\b|\(|<))/;
const notFunction = /^\s*(if|for|while|switch|catch|return|describe|test|it|suite)\b/;

/**
 * Function bodies by indentation, which the formatter guarantees: a body ends at the first line
 * that is indented like its start and begins with a closing brace.
 */
function checkFunctions({ path }: SourceFile, lines: readonly string[]): Violation[] {
  const violations: Violation[] = [];
  lines.forEach((text, index) => {
    const indent = functionStart.exec(text)?.[1];
    if (indent === undefined || notFunction.test(text) || isOneLine(text)) return;
    const end = lines.findIndex((later, at) => at > index && later.startsWith(`${indent}}`));
    const count = end - index + 1;
    if (end > index && count > budgets.functionLines && !isSuite(path, text)) {
      const message = `function of ${count} lines, expected at most ${budgets.functionLines}`;
      violations.push({ path, line: index + 1, message });
    }
    const parameters = countParameters(lines, index);
    if (parameters > budgets.parameters) {
      const message = `${parameters} parameters, expected at most ${budgets.parameters}: take an options object`;
      violations.push({ path, line: index + 1, message });
    }
  });
  return violations;
}

function isOneLine(text: string): boolean {
  return !/[{(]$/.test(text.trimEnd());
}

// A contract suite is one function around many tests, each of which is short by itself.
function isSuite(path: string, text: string): boolean {
  return isTest(path) && /function \w*(Contract|Suite|Tests)\b/.test(text);
}

/** How many parameters the declaration that starts at this line takes; 0 for anything else. */
function countParameters(lines: readonly string[], index: number): number {
  const head = lines.slice(index, index + 12).join('\n');
  const declaration = /^\s*(?:export )?(?:async )?function\b[^(]*\(/.exec(head);
  if (declaration === null) return 0;
  let depth = 1;
  let commas = 0;
  let last = '';
  for (const character of head.slice(declaration[0].length)) {
    if ('([{<'.includes(character)) depth++;
    if (')]}'.includes(character) || (character === '>' && last !== '=')) depth--;
    if (depth === 0) return /\S/.test(last) ? commas + (last === ',' ? 0 : 1) : 0;
    if (character === ',' && depth === 1) commas++;
    if (/\S/.test(character)) last = character;
  }
  return 0;
}

function checkImports(file: SourceFile): Violation[] {
  const room = roomOf(file.path);
  if (room === undefined || touchingRooms.has(room) || isTest(file.path)) return [];
  return importsOf(file)
    .filter(({ specifier, typeOnly }) => !typeOnly && touchingModules.test(specifier))
    .map(({ specifier, line }) => ({
      path: file.path,
      line,
      message: `imports "${specifier}", but room "${room}" does not touch the outside world`,
    }));
}

/** A door only re-exports, by name. */
function checkDoor({ path }: SourceFile, lines: readonly string[]): Violation[] {
  if (!/^(packages|runtimes)\/[^/]+\/src\/index\.ts$/.test(path)) return [];
  return lines.flatMap((text, index) =>
    /^export \* |^(export )?(const|function|class|async|let) /.test(text)
      ? [{ path, line: index + 1, message: 'the door of a room only re-exports, by name' }]
      : [],
  );
}

const openEnd = /\b(TODO|FIXME|XXX)\b(?!\(#\d+\))/;
const openEndMessage = 'an open end without an issue: finish it, or write TODO(#123)';

function checkLine(path: string, text: string, line: number): Violation[] {
  const messages: string[] = [];
  const isLink = /https?:\/\//.test(text) || /^\s*import\b.*from/.test(text);
  if (text.length > budgets.lineColumns && !isTest(path) && !isLink && !/['"`/]/.test(text)) {
    messages.push(`${text.length} columns, expected at most ${budgets.lineColumns}`);
  }
  if (openEnd.test(text) && !path.startsWith('tooling/')) messages.push(openEndMessage);
  // In a test, an error that is expected, and why, is what is tested: without it nothing compiles.
  const silenced = text.replace(isTest(path) ? /@ts-expect-error: / : /$^/, '');
  if (/\bas unknown as\b|\bas any\b|@ts-(ignore|expect-error)/.test(silenced) && !isTooling(path)) {
    messages.push('silences the type checker: parse or guard instead');
  }
  // A bundle hands exports on as they are when a file has run (start-scripts.mjs).
  if (/^export let /.test(text))
    messages.push('exports what changes: export a function that tells');
  if (isAmbient(path, text)) {
    messages.push('takes time or chance from the machine: take Clock or Random as a parameter');
  }
  return messages.map((message) => ({ path, line, message }));
}

function isTooling(path: string): boolean {
  return path.startsWith('tooling/');
}

function isAmbient(path: string, text: string): boolean {
  if (!ambientTimeAndChance.test(text) || /^\s*(\*|\/\/|\/\*)/.test(text)) return false;
  if (isTest(path) || isTooling(path) || sourcesOfTimeAndChance.has(path)) return false;
  // Runners and benchmarks measure the real thing.
  return !path.startsWith('runtimes/') && !/(^|\/)bench\//.test(path);
}

if (import.meta.main) {
  const violations = [
    ...readSourceFiles().flatMap(checkTidy),
    ...readSourceFiles(['*.py']).flatMap(checkPython),
    ...checkDocuments(readSourceFiles(['*.md']), new Set(listFiles([]))),
  ];
  process.exitCode = reportViolations('tidy', violations) ? 0 : 1;
}
