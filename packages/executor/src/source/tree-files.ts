/** The files of a source that was fetched, on their way to be an artifact. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { manifestFiles } from '../artifact-dependencies.ts';
import { ArtifactError } from '../artifact-error.ts';
import { dependencyFolders } from '../dependency-folder.ts';
import { isImporter } from '../image-packages.ts';
import { limits } from '../limits.ts';
import { includedPaths } from '../requirement-lines.ts';
import type { SourceFiles } from '../source-files.ts';
import { isTypeScript, stripTypes } from '../strip-types.ts';
import { treeTooLarge } from './tree-error.ts';

/**
 * The files that say what a source depends on, by name, with those that requirements include.
 *
 * Folders of dependencies that it brings itself are listed, too.
 *
 * @param dependencies what is given instead of a file
 */
export async function readManifests(
  directory: string,
  dependencies: string | undefined,
): Promise<SourceFiles> {
  const files: Record<string, string> = {};
  for (const name of manifestFiles) await readManifest(directory, name, files);
  const open = [{ text: dependencies ?? files['requirements.txt'] ?? '', file: '' }];
  for (const each of open) {
    for (const path of includedPaths(each)) {
      if (path in files || path.startsWith('..') || open.length > limits.requirementFilesMax)
        continue;
      await readManifest(directory, path, files);
      open.push({ text: files[path] ?? '', file: path });
    }
  }
  for (const folder of dependencyFolders) {
    const own = await lstat(join(directory, folder)).catch(() => undefined);
    if (own !== undefined) files[`${folder}/`] = '';
  }
  return files;
}

async function readManifest(
  directory: string,
  name: string,
  files: Record<string, string>,
): Promise<void> {
  const path = join(directory, name);
  const found = await lstat(path).catch(() => undefined);
  if (found?.isFile() !== true) return;
  if (found.size > limits.manifestBytesMax) {
    throw treeTooLarge(`a ${name} of ${found.size} bytes`, `at most ${limits.manifestBytesMax}`);
  }
  files[name] = await readFile(path, 'utf8');
}

/** The programs of a source, by path; what lies beyond the limit was hardly written by hand. */
export async function readImporters(directory: string): Promise<SourceFiles> {
  const files: Record<string, string> = {};
  let bytes = 0;
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const target = join(entry.parentPath, entry.name);
    const path = relative(directory, target).split(sep).join('/');
    if (!entry.isFile() || !isImporter(path)) continue;
    bytes += (await lstat(target)).size;
    if (bytes > limits.importersBytesMax) break;
    files[path] = await readFile(target, 'utf8');
  }
  return files;
}

/**
 * Turns TypeScript into JavaScript in place, under the same names.
 *
 * @param options.packageJson what to add as package.json, unless there is one
 * @param options.runsOnNode whether it is to run on Node; else TypeScript is left alone
 * @returns the digests of all files, by path
 * @throws ArtifactError `SyntaxError`
 */
export async function makeRunnable(
  directory: string,
  {
    packageJson,
    runsOnNode,
  }: { readonly packageJson: string | undefined; readonly runsOnNode: boolean },
): Promise<ReadonlyMap<string, string>> {
  const digests = new Map<string, string>();
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  for (const { parentPath, name } of files) {
    const target = join(parentPath, name);
    const path = relative(directory, target).split(sep).join('/');
    // As Node has it: what is installed is JavaScript already.
    const isProgram = isTypeScript(path) && !path.split('/').includes('node_modules');
    if (isProgram && runsOnNode) await stripFile(path, target);
    digests.set(path, await digestOf(target));
  }
  if (packageJson !== undefined && !digests.has('package.json')) {
    const target = join(directory, 'package.json');
    await writeFile(target, packageJson, { mode: 0o444 });
    digests.set('package.json', await digestOf(target));
  }
  return digests;
}

async function stripFile(path: string, target: string): Promise<void> {
  const code = decodeText(path, await readFile(target));
  const stripped = stripTypes(path, code);
  if (stripped === code) return;
  await rm(target);
  await writeFile(target, stripped, { mode: 0o444 });
}

function decodeText(path: string, content: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch (cause) {
    const message = `Cannot read ${path}: found bytes that are not UTF-8, expected a program`;
    throw new ArtifactError('SyntaxError', message, { cause, file: path });
  }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}
