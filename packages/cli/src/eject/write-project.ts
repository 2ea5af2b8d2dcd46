import { mkdir, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { hasCode } from '@fnlet/base';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import type { ProjectFiles } from './plan-ejected-project.ts';

/** Refuses a directory that has something in it, unless told to write all the same. */
export async function assertWritable(directory: string, force: boolean): Promise<void> {
  if (force) return;
  const entries = await readdir(directory).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  });
  if (entries.length === 0) return;
  throw new CliError(
    exitCodes.failed,
    `Cannot write into "${directory}": found ${entries.length} files, expected it to be empty`,
    { remedy: 'Choose another directory with -d, or overwrite what is there with --force' },
  );
}

/**
 * Writes files below a directory, and nowhere else: neither a path nor a link that is there already
 * leads out of it.
 */
export async function writeProject(directory: string, files: ProjectFiles): Promise<void> {
  for (const path of files.keys()) assertBelow(path);
  await mkdir(directory, { recursive: true });
  const root = await realpath(directory);
  for (const [path, content] of files) {
    const target = join(root, path);
    await mkdir(dirname(target), { recursive: true });
    const parent = await realpath(dirname(target));
    if (parent !== root && !parent.startsWith(root + sep)) throw leadsOut(path);
    // Not through a link of that name.
    await rm(target, { force: true });
    await writeFile(target, content);
  }
}

function assertBelow(path: string): void {
  const parts = path.split('/');
  const isBad = parts.some((part) => part === '' || part === '.' || part === '..');
  if (isBad || /[\\\0]/.test(path)) throw leadsOut(path);
}

function leadsOut(path: string): CliError {
  const message = `Cannot write "${path}": it leads out of the project, expected a path below it`;
  return new CliError(exitCodes.failed, message);
}
