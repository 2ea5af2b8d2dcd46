/** The layout of one bare repository of the cache. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { limits } from '../limits.ts';

/**
 * Makes a repository that can be fetched into: what a killed run of git left is removed, and one
 * that has grown old is begun anew. Nobody else may use it meanwhile.
 */
export async function prepareRepository(repository: string, nowMs: number): Promise<void> {
  const packs = packDirectory(repository);
  const found = await readdir(packs).catch(() => []);
  const isOld = found.filter((name) => name.endsWith('.pack')).length > limits.gitPacksMax;
  if (isOld) await rm(repository, { recursive: true, force: true });
  for (const name of isOld ? [] : found) {
    if (name.startsWith('tmp_')) await rm(join(packs, name), { force: true });
  }
  for (const name of await readdir(repository, { recursive: true }).catch(() => [])) {
    if (name.endsWith('.lock')) await rm(join(repository, name), { force: true });
  }
  if (!existsSync(join(repository, complete))) await createRepository(repository);
  await utimes(join(repository, complete), nowMs / 1000, nowMs / 1000);
}

const complete = 'complete';

// As `git init --bare` makes it, without the templates and hooks of this machine.
async function createRepository(repository: string): Promise<void> {
  await rm(repository, { recursive: true, force: true });
  await mkdir(repository, { mode: 0o700 });
  for (const name of ['objects', 'refs', 'info']) await mkdir(join(repository, name));
  await writeFile(join(repository, 'HEAD'), 'ref: refs/heads/none\n');
  const config = '[core]\n\trepositoryformatversion = 0\n\tbare = true\n';
  await writeFile(join(repository, 'config'), config);
  // Byte for byte: nothing is left out, filled in, or converted, whatever .gitattributes says.
  const asIs = '-export-ignore -export-subst -text -eol -ident -filter -working-tree-encoding';
  await writeFile(join(repository, 'info', 'attributes'), `* ${asIs}\n`);
  await writeFile(join(repository, complete), '');
}

/** When it was used last, by the clock of whoever used it; 0 when it was never complete. */
export async function lastUseMs(repository: string): Promise<number> {
  return (await stat(join(repository, complete)).catch(() => undefined))?.mtimeMs ?? 0;
}

/** Bytes of its packs, those that are being received included. */
export async function repositoryBytes(repository: string): Promise<number> {
  const packs = packDirectory(repository);
  let bytes = 0;
  for (const name of await readdir(packs).catch(() => [])) {
    bytes += (await stat(join(packs, name)).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
}

function packDirectory(repository: string): string {
  return join(repository, 'objects', 'pack');
}
