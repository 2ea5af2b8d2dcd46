import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { canonicalJson, errorMessage, sha256 } from '@fnlet/base';
import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';
import { archiveBytesMax, archiveFilesMax, sourceBytesMax, sourceFilesMax } from './limits.ts';
import { fileIdentity } from './own-output.ts';

/** A function's source as it lies on disk. */
export type LocalSource =
  | {
      readonly kind: 'files';
      /** Text by path, with `/` between directories, byte for byte. */
      readonly files: Readonly<Record<string, string>>;
    }
  /** What does not fit into an object, or is not text: to be packed. */
  | LocalTree;

/** Files by their names, relative to a directory. */
export interface LocalTree {
  readonly kind: 'tree';
  readonly root: string;
  readonly names: readonly string[];
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
 * @throws CliError when there is nothing, or too much.
 */
export async function readSource(
  path: string,
  ownOutput: ReadonlySet<string> = new Set(),
): Promise<LocalSource> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new CliError(exitCodes.usage, `Cannot read source "${path}": no such file or directory`, {
      cause,
      remedy: 'Name a file or a directory, or make one with: fnlet init',
    });
  });
  const tree: LocalTree = found.isDirectory()
    ? { kind: 'tree', root: path, names: await listDirectory(path, ownOutput) }
    : { kind: 'tree', root: dirname(path), names: [basename(path)] };
  if (tree.names.length === 0) {
    throw new CliError(exitCodes.usage, `Cannot deploy "${path}": the directory holds no files`, {
      remedy: 'Write a handler, or make one with: fnlet init',
    });
  }
  return readTree(tree, path);
}

/**
 * Reads the files of a tree.
 *
 * @param path what messages call it
 * @throws CliError when it is too much
 */
export async function readTree(tree: LocalTree, path: string = tree.root): Promise<LocalSource> {
  if (tree.names.length > archiveFilesMax) {
    throw tooLarge(path, `${tree.names.length} files, expected at most ${archiveFilesMax}`);
  }
  const bytes = await countBytes(tree);
  if (bytes > archiveBytesMax) {
    throw tooLarge(path, `${bytes} bytes, expected at most ${archiveBytesMax}`);
  }
  if (bytes > sourceBytesMax || tree.names.length > sourceFilesMax) return tree;
  return (await readTexts(tree)) ?? tree;
}

async function countBytes({ root, names }: LocalTree): Promise<number> {
  let bytes = 0;
  for (const name of names) bytes += (await stat(join(root, name))).size;
  return bytes;
}

/** The files as text; `undefined` when one of them is none. */
async function readTexts({ root, names }: LocalTree): Promise<LocalSource | undefined> {
  const files: Record<string, string> = {};
  for (const name of names) {
    const text = decodeText(await readFile(join(root, name)));
    if (text === undefined) return undefined;
    files[name.split(sep).join('/')] = text;
  }
  return { kind: 'files', files };
}

/** Tells whether two readings of a source would deploy the same, or fail in the same way. */
export async function readSourceDigest(
  path: string,
  ownOutput: ReadonlySet<string>,
): Promise<string> {
  try {
    const source = await readSource(path, ownOutput);
    if (source.kind === 'files') return sha256(canonicalJson(source.files));
    const digests: string[] = [];
    for (const name of source.names) {
      digests.push(name, sha256(await readFile(join(source.root, name))));
    }
    return sha256(digests.join('\n'));
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

function decodeText(content: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

function tooLarge(path: string, found: string): CliError {
  return new CliError(exitCodes.usage, `Cannot deploy "${path}": ${found}`, {
    remedy: 'Name the directory of the function alone; node_modules never belongs to it',
  });
}
