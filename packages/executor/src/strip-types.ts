import { stripTypeScriptTypes } from 'node:module';
import { errorMessage, hasCode } from '@fnlet/base';
import { ArtifactError } from './artifact-error.ts';

const typeScript = /(?<!\.d)\.[mc]?ts$/;

/** Whether this file is a TypeScript program (declarations are not: they hold no code). */
export function isTypeScript(path: string): boolean {
  return typeScript.test(path);
}

/**
 * Turns TypeScript into JavaScript. Types become blanks, so that every position stays; only code
 * with enums, namespaces or parameter properties is rewritten, and carries an inline source map.
 *
 * @throws ArtifactError `SyntaxError` with file, line and column
 */
export function stripTypes(path: string, code: string): string {
  try {
    return withoutWarning(() => stripTypeScriptTypes(code, { mode: 'strip' }));
  } catch (error) {
    if (!hasCode(error, 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')) throw toArtifactError(path, error);
  }
  try {
    const options = { mode: 'transform', sourceMap: true, sourceUrl: path } as const;
    return withoutWarning(() => stripTypeScriptTypes(code, options));
  } catch (error) {
    throw toArtifactError(path, error);
  }
}

// Node announces once per process that stripping is experimental. That is for whoever runs Fnlet
// neither news nor a choice; every other warning passes. Synchronous, so nobody else can see it.
function withoutWarning<T>(work: () => T): T {
  const { emitWarning } = process;
  const filtered = (warning: string | Error, ...rest: unknown[]): void => {
    if (String(warning).includes('stripTypeScriptTypes')) return;
    Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  process.emitWarning = filtered;
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}

function toArtifactError(path: string, error: unknown): ArtifactError {
  const position = findPosition(error);
  const at = position === undefined ? '' : `:${position.line}:${position.column}`;
  return new ArtifactError('SyntaxError', `Cannot read ${path}${at}: ${errorMessage(error)}`, {
    cause: error,
    file: path,
    ...position,
  });
}

// The only place where Node tells the position: the head of the stack shows `<file>:<line>`, then
// the lines around it, with a row of carets beneath the one that is meant.
function findPosition(error: unknown): { line: number; column: number } | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const [head = '', ...shown] = stack.split('\n');
  const line = Number(/:(\d+)$/.exec(head)?.[1]);
  const carets = shown.find((text) => /^\s*\^+\s*$/.test(text));
  return Number.isInteger(line) ? { line, column: (carets ?? '^').indexOf('^') + 1 } : undefined;
}
