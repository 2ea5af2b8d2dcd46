/**
 * Owns the archives that people upload, for as long as something refers to them:
 *
 *     <directory>/<namespace>/<digest>         an archive, complete
 *     <directory>/<namespace>/<digest>.part    being uploaded
 *
 * I1. What is called complete has the digest that it is called by, and is on the disk for good.
 * I2. An archive is for the namespace that it was uploaded to.
 */
import { createHash } from 'node:crypto';
import { createReadStream, readdirSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@fnlet/base';
import { ArtifactError } from '../artifact-error.ts';
import { limits } from '../limits.ts';
import { checksumMismatch } from './tree-error.ts';

/** Which archive. */
export interface UploadKey {
  readonly namespace: string;
  /** In hex. */
  readonly digest: string;
}

/** A piece of an archive. */
export interface UploadPart {
  /** How many bytes come before it. */
  readonly offset: number;
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

/** How far an upload has come. */
export interface UploadState {
  readonly bytes: number;
  readonly isComplete: boolean;
}

const partSuffix = '.part';

export class UploadStore {
  readonly #directory: string;
  readonly #clock: Clock;
  /** What the next piece of each archive waits for. */
  readonly #busy = new Map<string, Promise<unknown>>();

  constructor(options: { readonly directory: string; readonly clock: Clock }) {
    this.#directory = options.directory;
    this.#clock = options.clock;
  }

  /** Where an archive is once it is complete. */
  pathOf({ namespace, digest }: UploadKey): string {
    return join(this.#directory, namespace, digest);
  }

  /** What is there of an archive; `undefined` when nothing is. */
  async look(key: UploadKey): Promise<UploadState | undefined> {
    const path = this.pathOf(key);
    const whole = await stat(path).catch(() => undefined);
    if (whole !== undefined) {
      // Somebody relies on it from now on.
      const nowSeconds = this.#clock.now() / 1000;
      await utimes(path, nowSeconds, nowSeconds);
      return { bytes: whole.size, isComplete: true };
    }
    const part = await stat(path + partSuffix).catch(() => undefined);
    return part && { bytes: part.size, isComplete: false };
  }

  /**
   * Adds a piece. One that does not begin where the last one ended changes nothing: what is
   * returned says where to go on.
   *
   * @throws ArtifactError `TooLarge`, `ChecksumMismatch`
   */
  async add(key: UploadKey, part: UploadPart): Promise<UploadState> {
    const path = this.pathOf(key);
    const adding = Promise.allSettled([this.#busy.get(path)]).then(() => this.#add(key, part));
    this.#busy.set(path, adding);
    try {
      return await adding;
    } finally {
      if (this.#busy.get(path) === adding) this.#busy.delete(path);
    }
  }

  /** Removes what is not in `keep` (as `namespace/digest`) and has had its time to get there. */
  async sweep(keep: ReadonlySet<string>): Promise<void> {
    const namespaces = await readdir(this.#directory).catch(() => []);
    for (const namespace of namespaces) {
      for (const name of readdirSync(join(this.#directory, namespace))) {
        const path = join(this.#directory, namespace, name);
        const { mtimeMs = 0 } = (await stat(path).catch(() => undefined)) ?? {};
        const isNew = mtimeMs > this.#clock.now() - limits.uploadKeptMs;
        if (!isNew && !keep.has(`${namespace}/${name}`)) await rm(path, { force: true });
      }
    }
  }

  async #add(key: UploadKey, { offset, bytes, isLast }: UploadPart): Promise<UploadState> {
    const path = this.pathOf(key);
    const known = await this.look(key);
    if (known?.isComplete === true || (known?.bytes ?? 0) !== offset) {
      return known ?? { bytes: 0, isComplete: false };
    }
    if (offset + bytes.byteLength > limits.archiveBytesMax) {
      const expected = `expected at most ${limits.archiveBytesMax / 1_048_576} MiB`;
      throw new ArtifactError('TooLarge', `Cannot take the archive: found more, ${expected}`);
    }
    await this.#makeRoom(key, offset);
    const file = await open(path + partSuffix, 'a', 0o600);
    try {
      await file.writeFile(bytes);
      if (isLast) await file.sync();
    } finally {
      await file.close();
    }
    const size = offset + bytes.byteLength;
    if (!isLast) return { bytes: size, isComplete: false };
    await finish(path, key.digest);
    return { bytes: size, isComplete: true };
  }

  async #makeRoom({ namespace }: UploadKey, offset: number): Promise<void> {
    const directory = join(this.#directory, namespace);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    if (offset > 0 || (await readdir(directory)).length < limits.uploadsPerNamespaceMax) return;
    const found = `found ${limits.uploadsPerNamespaceMax} others in this namespace`;
    throw new ArtifactError('TooLarge', `Cannot take the archive: ${found}, expected fewer`, {
      remedy: 'Delete Functions; what none refers to is removed after an hour.',
    });
  }
}

// I1
async function finish(path: string, digest: string): Promise<void> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path + partSuffix)) hash.update(chunk);
  const found = hash.digest('hex');
  if (found === digest) {
    await rename(path + partSuffix, path);
    return;
  }
  await rm(path + partSuffix, { force: true });
  throw checksumMismatch('the uploaded archive', digest, found);
}
