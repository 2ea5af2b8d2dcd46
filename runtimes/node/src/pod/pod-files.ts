import { join } from 'node:path';
import { type PodArtifact, type PodFiles, podPaths } from '@fnlet/invocation';
import { fs } from '../builtins.ts';
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
    const { createHash } = process.getBuiltinModule('node:crypto');
    const { createGunzip } = process.getBuiltinModule('node:zlib');
    const { Readable } = process.getBuiltinModule('node:stream');
    const hash = createHash('sha256');
    const archive =
      inline === undefined
        ? await owner.get(podPaths.files + digest)
        : Readable.from([Buffer.from(inline, 'base64')]);
    archive.on('data', (chunk: Uint8Array) => hash.update(chunk));
    const unzipped = createGunzip();
    archive.once('error', (error) => unzipped.destroy(error));
    await unpackTar(archive.pipe(unzipped), staging);
    const found = hash.digest('hex');
    if (found !== digest) throw new Error(`found digest ${found}`);
    // No package.json above decides how the code is loaded.
    fs.writeFileSync(join(directory, 'package.json'), '{}\n');
    fs.renameSync(staging, place);
    return place;
  } catch (error) {
    fs.rmSync(staging, { recursive: true, force: true });
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot use the archive ${digest}: ${reason}`, { cause: error });
  }
}
