import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, isAbsolute, join, normalize, sep } from 'node:path';
import type { VolumeContent, VolumeFile } from './container-runtime.ts';
import { ExecutorError } from './executor-error.ts';

// Uids are the server's, and still become part of a path.
const safeName = /^[A-Za-z0-9]([-.A-Za-z0-9]*[A-Za-z0-9])?$/;

/** Where the files of each Pod are: `<root>/<uid>/{work,volumes,logs,views}`. */
export class PodDirectories {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
    mkdirSync(root, { recursive: true, mode: 0o700 });
  }

  of(pod: string): string {
    return join(this.#root, checkName(pod));
  }

  /** Where processes of the Pod start, unless told otherwise. */
  work(pod: string): string {
    return makeDirectory(join(this.of(pod), 'work'));
  }

  /** Empty directories for the container's view of the file system. */
  view(pod: string, container: string): { readonly root: string; readonly staging: string } {
    const view = join(this.of(pod), 'views', checkName(container));
    return {
      root: makeDirectory(join(view, 'root')),
      staging: makeDirectory(join(view, 'staging')),
    };
  }

  volume(pod: string, name: string): string {
    return join(this.of(pod), 'volumes', checkName(name));
  }

  /** Makes a volume hold these files; one without files keeps what was written to it. */
  setVolume(pod: string, { name, files }: VolumeContent): void {
    const directory = makeDirectory(this.volume(pod, name), 0o777);
    if (files.length === 0) return;
    const wanted = new Set(files.map(({ path }) => normalize(path)));
    for (const path of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
      const full = join(directory, path);
      if (wanted.has(path) || (existsSync(full) && statSync(full).isDirectory())) continue;
      rmSync(full, { force: true });
    }
    for (const file of files) writeVolumeFile(directory, file);
  }

  remove(pod: string): void {
    rmSync(this.of(pod), { recursive: true, force: true });
  }

  list(): readonly string[] {
    return readdirSync(this.#root);
  }
}

/** The file of a program, as a shell would find it. */
export function locateProgram(program: string, path: string): string | undefined {
  if (program === '') return undefined;
  if (isAbsolute(program)) return isExecutable(program) ? program : undefined;
  if (program.includes('/')) return undefined;
  const directories = path.split(delimiter).filter((directory) => isAbsolute(directory));
  return directories.map((directory) => join(directory, program)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function writeVolumeFile(directory: string, { path, content, mode }: VolumeFile): void {
  const target = join(directory, path);
  if (!target.startsWith(directory + sep)) {
    const text = `Cannot write volume file "${path}": it leads outside, expected a path below`;
    throw new ExecutorError('InvalidVolume', text);
  }
  makeDirectory(dirname(target), 0o755);
  if (existsSync(target) && readFileSync(target).equals(content)) return;
  rmSync(target, { force: true });
  writeFileSync(target, content, { mode });
}

function makeDirectory(path: string, mode = 0o700): string {
  mkdirSync(path, { recursive: true, mode });
  return path;
}

function checkName(name: string): string {
  if (safeName.test(name) && !name.includes('..')) return name;
  const text = `Cannot use the name "${name}" in a path: expected letters, digits, - and .`;
  throw new ExecutorError('InvalidVolume', text);
}
