import type { MountDirectories } from '@fnlet/executor';

type Files = Parameters<MountDirectories['write']>[1];

/** MountDirectories without a disk. */
export class MemoryMounts implements MountDirectories {
  readonly #directories: Map<string, Files> = new Map();

  async write(name: string, files: Files): Promise<string> {
    this.#directories.set(name, files);
    return `/mounts/${name}`;
  }

  async remove(name: string): Promise<void> {
    for (const other of this.#directories.keys()) {
      if (other.startsWith(`${name}/`)) this.#directories.delete(other);
    }
  }

  /** The texts of all files, by directory and path. */
  texts(): Readonly<Record<string, string>> {
    const all = [...this.#directories].flatMap(([name, files]) =>
      files.map(({ path, content }) => [`${name}/${path}`, Buffer.from(content).toString()]),
    );
    return Object.fromEntries(all);
  }
}
