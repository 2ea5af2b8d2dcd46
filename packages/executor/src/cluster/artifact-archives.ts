import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync } from 'node:fs';
import { mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { PodArtifact, PodFiles } from '@fnlet/invocation';
import { create } from 'tar';
import { dependencyFolders } from '../artifact-dependencies.ts';
import { findLinkedModules } from '../artifact-directory.ts';
import { clusterLimits } from './limits.ts';

/**
 * What Runners in Pods fetch: artifacts and installed packages as archives, each named by the
 * digest of its bytes.
 *
 *     <directory>/<digest>.tar.gz
 *
 * I1. An archive appears under its digest by one rename, when it is whole.
 * I2. The same files give the same bytes, whoever packs them and when: no times, no owners.
 */
export class ArtifactArchives {
  readonly #directory: string;
  /** Of directories that never change, by their path. */
  readonly #known = new Map<string, Promise<string>>();

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
    const used = new Set<string>();
    for (const [directory, digest] of this.#known) {
      if (existsSync(directory)) used.add(`${await digest}.tar.gz`);
      else this.#known.delete(directory);
    }
    for (const name of await readdir(this.#directory)) {
      if (name.endsWith('.tar.gz') && !used.has(name)) await rm(join(this.#directory, name));
    }
  }

  #pack(directory: string, leftOut: string | undefined): Promise<string> {
    const known = this.#known.get(directory);
    if (known !== undefined) return known;
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
