import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoadFailure } from '@fnlet/invocation';
import { util } from './builtins.ts';
import {
  framePosition,
  importPosition,
  lineOf,
  type SourcePosition,
  syntaxErrorPosition,
} from './source-position.ts';
import { userStack } from './user-stack.ts';

/** What is known of a module that did not load. */
export interface LoadProblem {
  readonly error: unknown;
  readonly sourceDirectory: string;
  /** Path of the entry, relative to the source directory. */
  readonly entry: string;
  /** URL of the module that was read last; an ES module's syntax error lies there. */
  readonly lastLoadedUrl: string | undefined;
}

/** Says where and why the code of a Function did not load, to a person who wrote that code. */
export function describeLoadFailure(problem: LoadProblem): LoadFailure {
  const { error, sourceDirectory } = problem;
  const entry: SourcePosition = { path: resolve(sourceDirectory, problem.entry) };
  if (!(error instanceof Error)) {
    const found = `a thrown ${util.inspect(error, { depth: 0, breakLength: Infinity })}`;
    return failure(problem, { code: 'LoadError', position: entry, found, expected: loads });
  }
  if (isMissingModule(error)) return missingModule(error, entry, problem);
  const found = `${error.name}: ${error.message.split('\n', 1)[0]}`;
  const syntax =
    error instanceof SyntaxError ? syntaxErrorPosition(error, problem.lastLoadedUrl) : undefined;
  if (syntax !== undefined) {
    const expected = expectedSyntax(error.message, syntax);
    return failure(problem, { code: 'SyntaxError', position: syntax, found, expected });
  }
  const frame = framePosition(error, sourceDirectory);
  const position = frame ?? entry;
  return failure(problem, { code: 'LoadError', position, found, expected: loads });
}

function expectedSyntax(message: string, { path, line }: SourcePosition): string {
  if (path.endsWith('.json')) return 'valid JSON';
  // The "@" of a decorator, which TypeScript leaves in place for engines to come.
  if (message === 'Invalid or unexpected token' && lineOf(path, line).includes('@')) {
    return 'no decorators, which Node does not run: compile them first';
  }
  // Types are cut out file by file, so an import cannot be seen to be of a type only.
  const isMissingExport = /does not provide an export named|Named export '.*' not found/.test(
    message,
  );
  return isMissingExport && /\.[mc]?ts$/.test(path)
    ? 'an export, or "import type" if it is a type'
    : 'valid JavaScript or TypeScript';
}

const loads = 'a module that loads without an error';

type MissingModuleError = Error & { readonly code: string };

function isMissingModule(error: Error): error is MissingModuleError {
  if (!('code' in error)) return false;
  return error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND';
}

// `Cannot find package 'x' imported from /a/b.js`, `Cannot find module '/a/x.js' imported from …`,
// `Cannot find module 'x'\nRequire stack:\n- /a/b.js`.
function missingModule(
  error: MissingModuleError,
  entry: SourcePosition,
  problem: LoadProblem,
): LoadFailure {
  const missing = /'([^']+)'/.exec(error.message)?.[1] ?? '';
  const importer = /(?:imported from |Require stack:\n- )(.+)/.exec(error.message)?.[1];
  const path = importer?.startsWith('file:') ? fileURLToPath(importer) : importer;
  const isPath = /^[./]/.test(missing);
  const name = missing.startsWith('/') ? relative(problem.sourceDirectory, missing) : missing;
  return failure(problem, {
    code: 'MissingModule',
    position: path === undefined ? entry : importPosition(path, missing),
    found: `an import of "${name}", which is not there`,
    expected: isPath ? 'that file in the source' : 'it in the dependencies',
  });
}

interface Finding {
  readonly code: LoadFailure['code'];
  readonly position: SourcePosition;
  readonly found: string;
  readonly expected: string;
}

function failure({ error, sourceDirectory }: LoadProblem, finding: Finding): LoadFailure {
  const { path, line, column } = finding.position;
  const file = relative(sourceDirectory, path);
  const found = finding.found.replaceAll(`${sourceDirectory}/`, '');
  const stack = error instanceof Error ? error.stack : undefined;
  return {
    code: finding.code,
    message: `Cannot load "${file}": found ${found}, expected ${finding.expected}`,
    file,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    ...(stack === undefined ? {} : { stack: userStack(stack) }),
  };
}
