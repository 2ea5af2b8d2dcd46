/**
 * Owns the writing of one source into an empty directory, from entries that nobody has checked yet:
 * those of an archive that anybody may have made.
 *
 * I1. Nothing is written outside of the directory: paths are relative and have no dot parts, links
 *     are made last, when no file is written any more, and each leads to something inside.
 * I2. How much is written is bounded, whatever the archive says about itself.
 * I3. No entry replaces an earlier one.
 */
import { constants } from 'node:fs';
import { link, mkdir, open, realpath, symlink } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { hasCode } from '@fnlet/base';
import { limits } from '../limits.ts';
import { describeBadPath } from '../source-files.ts';
import { invalidTree, treeNotFound, treeTooLarge } from './tree-error.ts';

export interface TreeFile {
  /** As the archive has it. */
  readonly path: string;
  readonly executable: boolean;
  readonly content: AsyncIterable<Uint8Array>;
}

export class TreeWriter {
  readonly #root: string;
  /** Only what is below it is written; ends with a slash unless it is the root. */
  readonly #below: string;
  readonly #files = new Set<string>();
  readonly #links = new Map<string, string>();
  #entries = 0;
  #bytes = 0;

  /** @param directory Where in the archive the source is; empty for its root. */
  constructor(root: string, directory: string) {
    const below = cleanPath(directory);
    this.#root = root;
    this.#below = below === '' ? '' : `${below}/`;
  }

  /** Bytes written so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Writes a file, or reads past it when it lies outside of the directory that is asked for. */
  async file({ path, executable, content }: TreeFile): Promise<void> {
    const name = this.#place(path);
    if (name === undefined) {
      // Bounded as well: a bomb may lie anywhere.
      for await (const chunk of content) this.#count(chunk.byteLength);
      return;
    }
    if (this.#links.has(name)) throw twice(path);
    const target = join(this.#root, name);
    await this.#makeParent(target, path);
    // I3: `x`. Against mistakes: who runs as root, or replaces a file, writes all the same.
    const mode = executable ? 0o555 : 0o444;
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const file = await open(target, flags, mode).catch((error: unknown) => refuse(error, path));
    try {
      for await (const chunk of content) {
        this.#count(chunk.byteLength);
        await file.writeFile(chunk);
      }
    } finally {
      await file.close();
    }
    this.#files.add(name);
  }

  /** Takes note of a symbolic link; it is made in the end (I1). */
  symbolicLink(path: string, target: string): void {
    const name = this.#place(path);
    if (name === undefined) return;
    if (this.#links.has(name) || this.#files.has(name)) throw twice(path);
    this.#links.set(name, target);
  }

  /** A second name of a file that came before. */
  async hardLink(path: string, target: string): Promise<void> {
    const name = this.#place(path);
    if (name === undefined) return;
    const known = this.#place(target);
    if (known === undefined || !this.#files.has(known)) {
      throw invalidTree(`a link "${path}" to "${target}"`, 'links to files of the source');
    }
    const place = join(this.#root, name);
    await this.#makeParent(place, path);
    await link(join(this.#root, known), place).catch((error: unknown) => refuse(error, path));
    this.#files.add(name);
  }

  /** Makes the links, and sees that there is anything at all. */
  async finish(): Promise<void> {
    for (const [name, target] of this.#links) {
      if (target.startsWith('/') || target.includes('\0')) throw outside(name, target);
      const place = join(this.#root, name);
      await this.#makeParent(place, name);
      await symlink(target, place).catch((error: unknown) => refuse(error, name));
    }
    const root = await realpath(this.#root);
    for (const [name, target] of this.#links) {
      const real = await realpath(join(this.#root, name)).catch(() => undefined);
      // A link to the source itself, or around in a circle, would never end for who walks it.
      if (real === undefined || !real.startsWith(root + sep)) throw outside(name, target);
    }
    if (this.#files.size > 0) return;
    const where = this.#below === '' ? 'it' : `directory "${this.#below.slice(0, -1)}"`;
    throw treeNotFound(where);
  }

  /** Where an entry belongs, or `undefined` when it is not asked for. */
  #place(path: string): string | undefined {
    this.#entries++;
    if (this.#entries > limits.treeEntriesMax) {
      throw treeTooLarge('more files', `at most ${limits.treeEntriesMax}`);
    }
    const clean = cleanPath(path);
    const problem = describeBadPath(clean);
    if (problem !== undefined) {
      throw invalidTree(`the file ${JSON.stringify(path)}: ${problem}`, 'a relative path');
    }
    return clean.startsWith(this.#below) ? clean.slice(this.#below.length) : undefined;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > limits.treeBytesMax) {
      const expected = `at most ${limits.treeBytesMax / 1_048_576} MiB unpacked`;
      throw treeTooLarge('more bytes', expected);
    }
  }

  async #makeParent(target: string, path: string): Promise<void> {
    const parent = dirname(target);
    await mkdir(parent, { recursive: true }).catch((error: unknown) => refuse(error, path));
  }
}

/** Without the `./` that tar puts before paths, and without the slash after directories. */
function cleanPath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return `${path.startsWith('/') ? '/' : ''}${parts.join('/')}`;
}

function refuse(error: unknown, path: string): never {
  const taken = ['EEXIST', 'ENOTDIR', 'EISDIR', 'ELOOP'].some((code) => hasCode(error, code));
  throw taken ? twice(path) : error;
}

function twice(path: string): Error {
  return invalidTree(`"${path}" twice, or as a file and as a directory`, 'one file of a name');
}

function outside(path: string, target: string): Error {
  return invalidTree(
    `the link "${path}" to "${target}"`,
    'links to files and directories within the source',
  );
}
