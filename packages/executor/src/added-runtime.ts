/** A runtime that somebody added: a program of this machine, with files that were given with it. */
import { existsSync, mkdirSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { canonicalJson, sha256 } from '@fnlet/base';
import { findProgram } from './find-program.ts';
import { RuntimeError } from './runtime-error.ts';
import type { RuntimeSource } from './runtime-source.ts';
import { assertSourceFiles } from './source-files.ts';

/** What somebody says about a runtime. */
export interface AddedRuntime {
  readonly name: string;
  /** A program, by absolute path or as the path has it, then its arguments. */
  readonly command: readonly string[];
  /** Text by path; an argument of this name stands for the file. */
  readonly files?: Readonly<Record<string, string>> | undefined;
  /** The whole environment of the Runner, until it has code. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export interface AddedRuntimeOptions {
  /** Gets a directory for each digest of files. */
  readonly directory: string;
  /** The `PATH` to look on. */
  readonly path: string | undefined;
}

export function addedRuntime(added: AddedRuntime, options: AddedRuntimeOptions): RuntimeSource {
  const { name, command, files = {}, env = {} } = added;
  const [asked = '', ...args] = command;
  const find = (): string | undefined => findProgram(asked, env.PATH ?? options.path);
  return {
    look() {
      const program = find();
      return program === undefined ? { state: 'absent' } : { state: 'found', program };
    },
    async prepare() {
      const program = find();
      if (program === undefined) {
        const message =
          `Cannot find program "${asked}" of runtime "${name}": it is not on the path, expected ` +
          'it there or an absolute path. Install it; it is looked for again by itself';
        throw new RuntimeError('RuntimeNotFound', message, { retry: 'later' });
      }
      const own = await writeFiles(files, options.directory);
      return { name, command: [program, ...args.map((arg) => own.get(arg) ?? arg)], env };
    },
  };
}

/** Writes the files once for their digest; gives their paths. */
async function writeFiles(
  files: Readonly<Record<string, string>>,
  directory: string,
): Promise<ReadonlyMap<string, string>> {
  assertSourceFiles(files);
  const target = join(directory, sha256(canonicalJson(files)));
  const paths = Object.keys(files).map((path): [string, string] => [path, join(target, path)]);
  if (existsSync(target)) return new Map(paths);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const staging = await mkdtemp(join(directory, 'staging-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(staging, path)), { recursive: true });
      await writeFile(join(staging, path), text, { mode: 0o444 });
    }
    await rename(staging, target);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return new Map(paths);
}
