import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pythonRunnerArguments } from '@fnlet/executor';
import type { ProjectFiles } from './plan-ejected-project.ts';

/** The Python Runner, as it is. */
export async function readPythonRunner(): Promise<ProjectFiles> {
  const room = dirname(dirname(pythonRunnerArguments().at(-1) ?? ''));
  const files = new Map<string, string>();
  for (const folder of ['fnlet_runner', 'doors']) {
    for (const name of await readdir(join(room, folder), { recursive: true })) {
      if (!name.endsWith('.py')) continue;
      files.set(`${folder}/${slashed(name)}`, await readFile(join(room, folder, name), 'utf8'));
    }
  }
  return files;
}

/** The Node Runner as plain JavaScript: a build of the command has it, a checkout makes it. */
export async function readNodeRunner(): Promise<ProjectFiles> {
  const built = join(import.meta.dirname, '..', 'runner');
  if (existsSync(built)) return readTree(built);
  const root = join(import.meta.dirname, '..', '..', '..', '..');
  const recipe: unknown = await import(pathToFileURL(join(root, 'tooling', 'bundle.mjs')).href);
  if (!isRecipe(recipe)) throw new Error(`Cannot find the Node Runner of "${root}"`);
  const { outputFiles } = await recipe.bundleRunner(root, built);
  return new Map(outputFiles.map(({ path, text }) => [slashed(relative(built, path)), text]));
}

/** What tooling/bundle.mjs exports. */
interface Recipe {
  bundleRunner(root: string, outdir: string): Promise<Bundled>;
}

interface Bundled {
  readonly outputFiles: readonly { readonly path: string; readonly text: string }[];
}

function isRecipe(value: unknown): value is Recipe {
  return typeof value === 'object' && value !== null && 'bundleRunner' in value;
}

/** The files below a directory. */
export async function readTree(directory: string): Promise<ProjectFiles> {
  const files = new Map<string, Uint8Array>();
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    // A link to a file is what it leads to; sources have none that lead out of them.
    if (!entry.isDirectory()) files.set(slashed(relative(directory, path)), await readFile(path));
  }
  return files;
}

function slashed(path: string): string {
  return path.split(sep).join('/');
}
