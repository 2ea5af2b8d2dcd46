import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';
import { sourceBytesMax, sourceFilesMax } from './limits.ts';

/** A function's source as it lies on disk: paths with `/`, contents byte for byte as text. */
export interface SourceFiles {
  readonly files: Readonly<Record<string, string>>;
  /** What was read: the directory or the one file. */
  readonly path: string;
}

// What is never part of a function: dependencies come from package.json, the rest is the user's.
const skippedDirectories: ReadonlySet<string> = new Set(['node_modules', 'dist', 'coverage']);

/**
 * Reads the source of a function: one file, or a directory with everything in it except hidden
 * files, `node_modules`, `dist` and `coverage`.
 *
 * @throws CliError when there is nothing, too much, or something that is not text.
 */
export async function readSourceFiles(path: string): Promise<SourceFiles> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new CliError(exitCodes.usage, `Cannot read source "${path}": no such file or directory`, {
      cause,
      remedy: 'Name a file or a directory, or make one with: fnlet init',
    });
  });
  const names = found.isDirectory() ? await listDirectory(path, '') : [''];
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

async function listDirectory(root: string, inside: string): Promise<string[]> {
  const entries = await readdir(join(root, inside), { withFileTypes: true });
  const visible = entries.filter(({ name }) => !name.startsWith('.'));
  const nested = await Promise.all(
    visible.map((entry) => {
      const name = inside === '' ? entry.name : `${inside}/${entry.name}`;
      if (entry.isFile()) return [name];
      if (!entry.isDirectory() || skippedDirectories.has(entry.name)) return [];
      return listDirectory(root, name);
    }),
  );
  return nested.flat().sort();
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
