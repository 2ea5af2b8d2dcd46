import { ArtifactError } from './artifact-error.ts';
import { limits } from './limits.ts';

/** Files of a source: content by path relative to the source, with `/` between directories. */
export type SourceFiles = Readonly<Record<string, string>>;

/**
 * Checks names and sizes that come from outside.
 *
 * @throws ArtifactError `InvalidFileName`, `TooLarge`
 */
export function assertSourceFiles(files: SourceFiles): void {
  const paths = Object.keys(files);
  if (paths.length > limits.sourceFilesMax) {
    throw tooLarge(`${paths.length} files`, `at most ${limits.sourceFilesMax}`);
  }
  const known = new Set(paths);
  let bytes = 0;
  for (const [path, content] of Object.entries(files)) {
    const problem = describeBadPath(path) ?? describeConflict(path, known);
    if (problem !== undefined) {
      const expected = 'expected a relative path such as lib/handler.js';
      throw new ArtifactError(
        'InvalidFileName',
        `Cannot use file ${JSON.stringify(path)}: ${problem}, ${expected}`,
        { file: path, remedy: 'Rename the file in the source of the function.' },
      );
    }
    bytes += Buffer.byteLength(content);
  }
  if (bytes > limits.sourceBytesMax) {
    throw tooLarge(`${bytes} bytes`, `at most ${limits.sourceBytesMax}`);
  }
}

/** Why a path cannot be that of a file in a source; `undefined` when it can. */
export function describeBadPath(path: string): string | undefined {
  if (path === '') return 'its name is empty';
  if (Buffer.byteLength(path) > limits.sourcePathBytesMax) return 'its name is too long';
  if (path.includes('\0')) return 'its name holds a NUL character';
  if (path.includes('\\')) return 'its name holds a backslash';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'its name is absolute';
  const segments = path.split('/');
  if (segments.includes('')) return 'its name has an empty part';
  if (segments.includes('.') || segments.includes('..')) return 'its name has a dot part';
  if (segments.some((segment) => Buffer.byteLength(segment) > 255)) return 'a part is too long';
  return undefined;
}

// `a` and `a/b` cannot both exist: one is a file, the other needs it to be a directory.
function describeConflict(path: string, known: ReadonlySet<string>): string | undefined {
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
    const parent = path.slice(0, slash);
    if (known.has(parent)) return `${JSON.stringify(parent)} is a file too`;
  }
  return undefined;
}

function tooLarge(found: string, expected: string): ArtifactError {
  const message = `Cannot use source: ${found}, expected ${expected}`;
  const remedy = 'Leave out what can be installed, or give the source as an archive.';
  return new ArtifactError('TooLarge', message, { remedy });
}
