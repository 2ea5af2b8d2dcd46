import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { PodArtifact, PodFiles } from '@fnlet/invocation';
import { create } from 'tar';
import { findLinkedModules } from '../artifact-directory.ts';
import { dependencyFolders } from '../dependency-folder.ts';
import { clusterLimits } from './limits.ts';

/**
 * What Runners in Pods fetch: artifacts and installed packages as archives, each named by the
 * digest of its bytes.
 *
 *     <directory>/<digest>.tar.gz
 *
 * I1. An archive appears under its digest by one rename, when it is whole.
 * I2. What is said of a directory, which never changes, is kept: a wake reads no file for it.
 * I3. The same files give the same bytes, whoever packs them and when: no times, no owners.
 */
export class ArtifactArchives {
  readonly #directory: string;
  /** Of directories that never change, by their path. */
  readonly #known = new Map<string, Promise<string>>();
  /** Digests of what was packed since the last sweep began. */
  readonly #fresh = new Set<string>();
  /** What was said of sources, by their directories; what was asked for last is last. */
  readonly #told = new Map<string, PodArtifact>();
  #toldBytes = 0;

  constructor(directory: string) {
    this.#directory = directory;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  /** The file with this digest, if there is one. */
  find(digest: string): string | undefined {
    const path = join(this.#directory, `${digest}.tar.gz`);
    return existsSync(path) ? path : undefined;
  }

  /**
   * What a Runner needs to have this source.
   *
   * @param sourceDirectory as the ArtifactStore made it
   */
  async of(sourceDirectory: string): Promise<PodArtifact> {
    const known = this.#told.get(sourceDirectory);
    if (known !== undefined) {
      this.#told.delete(sourceDirectory);
      this.#told.set(sourceDirectory, known);
      if (this.#isThere(known)) return known;
    }
    const artifact = await this.#describe(sourceDirectory);
    this.#remember(sourceDirectory, artifact);
    return artifact;
  }

  async #describe(sourceDirectory: string): Promise<PodArtifact> {
    const modules = await findLinkedModules(dirname(sourceDirectory));
    const folder = dependencyFolders.find((name) => modules && basename(modules) === name);
    const [source, packages] = await Promise.all([
      this.#pack(sourceDirectory, folder),
      modules === undefined ? undefined : this.#pack(modules, undefined),
    ]);
    const own = await this.#files(source);
    if (packages === undefined || folder === undefined) return { source: own };
    return { source: own, dependencies: { digest: packages, folder } };
  }

  /** Removes the archives of directories that are not there any more. */
  async sweep(): Promise<void> {
    this.#fresh.clear();
    const used = new Set<string>();
    for (const [directory, packing] of [...this.#known]) {
      const digest = await packing.catch(() => undefined);
      if (!existsSync(directory)) this.#known.delete(directory);
      else if (digest !== undefined) used.add(digest);
    }
    for (const directory of [...this.#told.keys()]) {
      if (!existsSync(directory)) this.#forget(directory);
    }
    for (const name of readdirSync(this.#directory)) {
      const [digest = '', ...rest] = name.split('.');
      const isArchive = rest.join('.') === 'tar.gz';
      if (isArchive && !used.has(digest) && !this.#fresh.has(digest)) {
        rmSync(join(this.#directory, name), { force: true });
      }
    }
  }

  /** Whether what is not part of the message can be fetched. */
  #isThere({ source, dependencies }: PodArtifact): boolean {
    return [source, dependencies].every(
      (files) =>
        files === undefined || files.inline !== undefined || this.find(files.digest) !== undefined,
    );
  }

  #remember(sourceDirectory: string, artifact: PodArtifact): void {
    this.#forget(sourceDirectory);
    this.#told.set(sourceDirectory, artifact);
    this.#toldBytes += sizeOf(artifact);
    for (const oldest of this.#told.keys()) {
      if (this.#toldBytes <= clusterLimits.toldBytesMax) return;
      this.#forget(oldest);
    }
  }

  #forget(sourceDirectory: string): void {
    const known = this.#told.get(sourceDirectory);
    if (known === undefined) return;
    this.#told.delete(sourceDirectory);
    this.#toldBytes -= sizeOf(known);
  }

  async #pack(directory: string, leftOut: string | undefined): Promise<string> {
    const known = this.#known.get(directory);
    const digest = await known;
    if (digest !== undefined && this.find(digest) !== undefined) return digest;
    // Somebody has removed the archive: it is made again, once.
    if (known !== undefined && this.#known.get(directory) === known) this.#known.delete(directory);
    return this.#known.get(directory) ?? this.#begin(directory, leftOut);
  }

  #begin(directory: string, leftOut: string | undefined): Promise<string> {
    const packing = this.#write(directory, leftOut);
    this.#known.set(directory, packing);
    packing.catch(() => this.#known.delete(directory));
    return packing;
  }

  async #write(directory: string, leftOut: string | undefined): Promise<string> {
    const staging = await mkdtemp(join(this.#directory, 'staging-'));
    const file = join(staging, 'archive');
    try {
      const names = (await readdir(directory)).filter((name) => name !== leftOut).sort();
      // `portable` leaves out owners and what else belongs to this machine; the time is a constant.
      const terms = {
        cwd: directory,
        file,
        gzip: { level: 1 },
        portable: true,
        mtime: new Date(0),
      };
      // An archive of nothing would not be made; a name that begins with @ names another archive.
      await create(terms, names.length === 0 ? ['.'] : names.map((name) => `./${name}`));
      const hash = createHash('sha256');
      await pipeline(createReadStream(file), hash);
      const digest = hash.digest('hex');
      this.#fresh.add(digest);
      await rename(file, join(this.#directory, `${digest}.tar.gz`));
      return digest;
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  }

  /** Small ones travel with the message that asks for them: a round trip less. */
  async #files(digest: string): Promise<PodFiles> {
    const path = join(this.#directory, `${digest}.tar.gz`);
    const { size } = await stat(path);
    if (size > clusterLimits.inlineBytesMax) return { digest };
    const parts: Uint8Array[] = [];
    for await (const part of createReadStream(path)) parts.push(Buffer.from(part));
    return { digest, inline: Buffer.concat(parts).toString('base64') };
  }
}

/** What is kept of it in memory: the path and the rest are small beside it. */
function sizeOf({ source }: PodArtifact): number {
  return 512 + (source.inline?.length ?? 0);
}
