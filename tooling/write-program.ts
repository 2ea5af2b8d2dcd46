/**
 * Writes the program of Fnlet's own parts into a directory, as images have it below `/fnlet`:
 * `node tooling/write-program.ts <directory>`.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isBinaryFile } from '../packages/cli/src/install/plan-bundle.ts';
import { readBundleFiles } from '../packages/cli/src/install/read-bundle-files.ts';
import { repositoryRoot } from './source-file.ts';

interface Recipe {
  refreshBundle(root: string): Promise<void>;
}

/** Writes a build of what the checkout has now. */
export async function writeProgram(directory: string): Promise<void> {
  const recipe: unknown = await import(
    pathToFileURL(join(repositoryRoot, 'tooling', 'bundle.mjs')).href
  );
  if (!isRecipe(recipe)) throw new Error('Cannot build Fnlet: found no refreshBundle()');
  await recipe.refreshBundle(repositoryRoot);
  for (const [name, text] of Object.entries(await readBundleFiles())) {
    const file = join(directory, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, isBinaryFile(name) ? 'base64' : 'utf8');
    // Whoever runs it is nobody; whoever builds it may be careful with what others read.
    chmodSync(file, 0o644);
  }
}

function isRecipe(found: unknown): found is Recipe {
  return typeof found === 'object' && found !== null && 'refreshBundle' in found;
}

if (import.meta.main) {
  const [directory] = process.argv.slice(2);
  if (directory === undefined) throw new Error('Cannot write the program: expected a directory');
  await writeProgram(directory);
}
