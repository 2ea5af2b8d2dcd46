import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { canonicalJson, errorMessage, sha256 } from '@fnlet/base';
import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';
import { sourceBytesMax, sourceFilesMax } from './limits.ts';
import { fileIdentity } from './own-output.ts';

/** A function's source as it lies on disk: paths with `/`, contents byte for byte as text. */
export interface SourceFiles {
  readonly files: Readonly<Record<string, string>>;
  /** What was read: the directory or the one file. */
  readonly path: string;
}

// What is never part of a function: dependencies come from package.json, the rest is the user's.
const skippedDirectories: ReadonlySet<string> = new Set(['node_modules', 'dist', 'coverage']);

/** Whether a file of a source directory, by its path in there, may be part of the function. */
export function isSourceFile(path: string): boolean {
  const [file = '', ...directories] = path.split(sep).reverse();
  return (
    !file.startsWith('.') &&
    !file.endsWith('.log') &&
    !directories.some((name) => name.startsWith('.') || skippedDirectories.has(name))
  );
}

/**
 * Reads the source of a function: one file, or a directory with everything in it except hidden
 * files, logs (`*.log`), `node_modules`, `dist` and `coverage`.
 *
 * @param ownOutput what this process prints into, by `fileIdentity`: left out of a directory too
 * @throws CliError when there is nothing, too much, or something that is not text.
 */
export async function readSourceFiles(
  path: string,
  ownOutput: ReadonlySet<string> = new Set(),
): Promise<SourceFiles> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new CliError(exitCodes.usage, `Cannot read source "${path}": no such file or directory`, {
      cause,
      remedy: 'Name a file or a directory, or make one with: fnlet init',
    });
  });
  const names = found.isDirectory() ? await listDirectory(path, ownOutput) : [''];
  if (names.length > sourceFilesMax) {
    throw tooLarge(path, `${names.length} files, expected at most ${sourceFilesMax}`);
  }
  const files: Record<string, string> = {};
  let bytes = 0;
  for (const name of names) {
    const content = await readFile(join(path, name));
    bytes += content.length;
    if (bytes > sourceBytesMax) {
      throw tooLarge(path, `more than ${sourceBytesMax} bytes, expected at most that`);
    }
    files[name === '' ? basename(path) : name] = decodeText(join(path, name), content);
  }
  if (Object.keys(files).length === 0) {
    throw new CliError(exitCodes.usage, `Cannot deploy "${path}": the directory holds no files`, {
      remedy: 'Write a handler, or make one with: fnlet init',
    });
  }
  return { files, path };
}

/** Tells whether two readings of a source would deploy the same, or fail in the same way. */
export async function readSourceDigest(
  path: string,
  ownOutput: ReadonlySet<string>,
): Promise<string> {
  try {
    return sha256(canonicalJson((await readSourceFiles(path, ownOutput)).files));
  } catch (error) {
    return errorMessage(error);
  }
}

async function listDirectory(root: string, ownOutput: ReadonlySet<string>): Promise<string[]> {
  const list = async (inside: string): Promise<string[]> => {
    const entries = await readdir(join(root, inside), { withFileTypes: true });
    const nested = entries.map((entry) => {
      const name = join(inside, entry.name);
      if (entry.isFile()) return isSourceFile(name) ? [name] : [];
      return entry.isDirectory() && isSourceFile(join(name, 'x')) ? list(name) : [];
    });
    return (await Promise.all(nested)).flat();
  };
  const names = (await list('')).sort();
  if (ownOutput.size === 0) return names;
  const isOwn = await Promise.all(
    names.map(async (name) => ownOutput.has(fileIdentity(await stat(join(root, name))))),
  );
  return names.filter((_, i) => isOwn[i] !== true);
}

function decodeText(path: string, content: Buffer): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
    if (!text.includes('\0')) return text;
  } catch {
    // Falls through to the one message for everything that is not text.
  }
  throw new CliError(exitCodes.usage, `Cannot deploy "${path}": found binary data, expected text`, {
    remedy: 'Move the file out of the directory, or into a hidden one, which is not deployed',
  });
}

function tooLarge(path: string, found: string): CliError {
  return new CliError(exitCodes.usage, `Cannot deploy "${path}": ${found}`, {
    remedy: 'Name the directory of the function alone; node_modules never belongs to it',
  });
}
