import { join } from 'node:path';
import { type PodArtifact, type PodFiles, podPaths } from '@fnlet/invocation';
import { fs } from '../builtins.ts';
import { limits } from '../limits.ts';
import type { OwnerAddress } from './owner-address.ts';
import { unpackTar } from './unpack-tar.ts';

/**
 * Brings the files of a Revision to this Pod.
 *
 * @param directory Where they may lie; what is there stays.
 * @returns the directory of the source, with a link to the packages
 * @throws Error that says which file could not be had, and why
 */
export async function fetchArtifact(
  artifact: PodArtifact,
  directory: string,
  owner: OwnerAddress,
): Promise<string> {
  const { source, dependencies } = artifact;
  const [own, packages] = await Promise.all([
    fetchFiles(source, directory, owner),
    dependencies === undefined ? undefined : fetchFiles(dependencies, directory, owner),
  ]);
  if (dependencies === undefined || packages === undefined) return own;
  const link = join(own, dependencies.folder);
  if (!fs.existsSync(link)) fs.symlinkSync(packages, link);
  return own;
}

async function fetchFiles(
  { digest, inline }: PodFiles,
  directory: string,
  owner: OwnerAddress,
): Promise<string> {
  const place = join(directory, digest);
  if (fs.existsSync(place)) return place;
  const staging = fs.mkdtempSync(join(directory, 'staging-'));
  try {
    const found = await (inline === undefined
      ? unpackFetched(digest, staging, owner)
      : unpackGiven(Buffer.from(inline, 'base64'), staging));
    if (found !== digest) throw new Error(`found digest ${found}`);
    fenceOff(directory);
    fs.renameSync(staging, place);
    return place;
  } catch (error) {
    fs.rmSync(staging, { recursive: true, force: true });
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot use the archive ${digest}: ${reason}`, { cause: error });
  }
}

/** No package.json above decides how the code is loaded. */
function fenceOff(directory: string): void {
  const fence = join(directory, 'package.json');
  // Some file systems wait for the disk when a file is written anew.
  if (!fs.existsSync(fence)) fs.writeFileSync(fence, '{}\n');
}

/** Unpacks what comes from the owner; returns its digest. */
async function unpackFetched(
  digest: string,
  staging: string,
  owner: OwnerAddress,
): Promise<string> {
  const { createHash } = process.getBuiltinModule('node:crypto');
  const { createGunzip } = process.getBuiltinModule('node:zlib');
  const hash = createHash('sha256');
  const archive = await owner.get(podPaths.files + digest);
  archive.on('data', (chunk: Uint8Array) => hash.update(chunk));
  const unzipped = createGunzip();
  archive.once('error', (error) => unzipped.destroy(error));
  await unpackTar(archive.pipe(unzipped), staging);
  return hash.digest('hex');
}

/**
 * The same with what came in the message. A call waits for it, and it is small: streams, each of
 * whose pieces goes by way of another thread, take ten times as long.
 */
async function unpackGiven(archive: Buffer, staging: string): Promise<string> {
  const { createHash } = process.getBuiltinModule('node:crypto');
  const { gunzipSync } = process.getBuiltinModule('node:zlib');
  const tar = gunzipSync(archive, { maxOutputLength: limits.podFilesBytesMax });
  await unpackTar(only(tar), staging);
  return createHash('sha256').update(archive).digest('hex');
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** An archive with one file, as owners send it. */
const rehearsed: string = [
  'H4sIAAAAAAACA9PTz0jMS8lJLdLLKmagETAAAjMTEzANBOg0EBgisYHihgYG',
  'QOUKBgx0AKXFJYlFQOsZRibgYhgFo2AUjIJRMBIBABniVLYACAAA',
].join('');

/**
 * Does once, while nobody waits, what is slow at first use. Without it a Runner is only slower.
 *
 * @param directory as for {@link fetchArtifact}; no file of a Revision stays
 */
export async function rehearseArtifact(directory: string, owner: OwnerAddress): Promise<void> {
  const { createHash } = process.getBuiltinModule('node:crypto');
  const archive = Buffer.from(rehearsed, 'base64');
  const digest = createHash('sha256').update(archive).digest('hex');
  fenceOff(directory);
  const scratch = fs.mkdtempSync(join(directory, 'rehearsal-'));
  try {
    await fetchArtifact({ source: { digest, inline: rehearsed } }, scratch, owner);
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}
