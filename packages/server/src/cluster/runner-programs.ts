import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { FnletError } from '@fnlet/base';
import { pythonRunnerArguments } from '@fnlet/executor';
import type { LanguageProgram } from '@fnlet/executor/cluster';
import type { KubeObject } from '@fnlet/machinery';
import { runnerEntry } from '@fnlet/runtime-node';
import { programBytesMax } from './limits.ts';
import { clusterNames } from './names.ts';

/** The files of a program, by their paths. */
export type ProgramFiles = ReadonlyMap<string, Uint8Array>;

/** A program of Runners, as Pods get it. */
export interface RunnerProgram extends LanguageProgram {
  /** The ConfigMap, without a namespace. It never changes: its name says what is in it. */
  readonly configMap: KubeObject;
}

/** Says which ConfigMaps there are of this kind. */
export const programLabel = 'fnlet.dev/runner-program';

/**
 * A program as an immutable ConfigMap, named by the digest of its files.
 *
 * @throws FnletError `ProgramTooLarge`
 */
export function planProgram(files: ProgramFiles): RunnerProgram {
  const paths = [...files.keys()].sort();
  const hash = createHash('sha256');
  let bytes = 0;
  for (const path of paths) {
    const content = files.get(path) ?? new Uint8Array();
    hash.update(`${path} ${content.length} `).update(content);
    bytes += content.length + 2 * path.length;
  }
  if (bytes > programBytesMax) {
    const found = `found ${bytes} bytes, expected at most ${programBytesMax}`;
    throw new FnletError('ProgramTooLarge', `Cannot carry a Runner in a ConfigMap: ${found}`);
  }
  const name = `${clusterNames.programConfigMap}-${hash.digest('hex').slice(0, 12)}`;
  // Keys have no slashes (core/v1 ConfigMap), and what is no text is Base64: these are texts.
  const items = paths.map((path, index) => ({ key: `file-${index}`, path }));
  const data = Object.fromEntries(
    items.map(({ key, path }) => [key, Buffer.from(files.get(path) ?? []).toString()]),
  );
  const labels = { 'app.kubernetes.io/managed-by': 'fnlet', [programLabel]: 'true' };
  return {
    name,
    items,
    configMap: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, labels },
      ...{ immutable: true, data },
    },
  };
}

/** The Python Runner, as it lies in this copy of Fnlet. */
export async function readPythonProgram(): Promise<ProgramFiles> {
  const room = dirname(dirname(pythonRunnerArguments().at(-1) ?? ''));
  const files = new Map<string, Uint8Array>();
  for (const folder of ['fnlet_runner', 'doors']) {
    for (const [name, content] of await readTree(join(room, folder))) {
      if (name.endsWith('.py')) files.set(`${folder}/${name}`, content);
    }
  }
  return files;
}

/** The Node Runner as plain JavaScript: a build of the command has it, a checkout makes it. */
export async function readNodeProgram(): Promise<ProgramFiles> {
  const files = new Map(await readBundle());
  const rehearsal = fileURLToPath(new URL('../rehearsal', pathToFileURL(runnerEntry)));
  for (const [name, content] of await readTree(rehearsal)) files.set(`rehearsal/${name}`, content);
  const sdk = Buffer.from(`${JSON.stringify(sdkPackage)}\n`);
  return files.set('node_modules/@fnlet/sdk/package.json', sdk);
}

/** What makes the doors of the SDK importable. */
const sdkPackage = {
  name: '@fnlet/sdk',
  type: 'module',
  exports: {
    '.': './index.mjs',
    './operator': './operator.mjs',
    './operator-wire': './operator-wire.mjs',
  },
};

async function readBundle(): Promise<ProgramFiles> {
  const built = join(import.meta.dirname, '..', 'pod-runner');
  if (existsSync(built)) return readTree(built);
  const root = join(import.meta.dirname, '..', '..', '..', '..');
  const recipe: unknown = await import(pathToFileURL(join(root, 'tooling', 'bundle.mjs')).href);
  if (!isRecipe(recipe)) throw new Error(`Cannot find the Node Runner of "${root}"`);
  const { outputFiles } = await recipe.bundlePodRunner(root, built);
  return new Map(
    outputFiles.map(({ path, contents }) => [slashed(relative(built, path)), contents]),
  );
}

/** What tooling/bundle.mjs exports. */
interface Recipe {
  bundlePodRunner(
    root: string,
    outdir: string,
  ): Promise<{
    readonly outputFiles: readonly { readonly path: string; readonly contents: Uint8Array }[];
  }>;
}

function isRecipe(value: unknown): value is Recipe {
  return typeof value === 'object' && value !== null && 'bundlePodRunner' in value;
}

async function readTree(directory: string): Promise<ProgramFiles> {
  const files = new Map<string, Uint8Array>();
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files.set(slashed(relative(directory, path)), await readFile(path));
  }
  return files;
}

function slashed(path: string): string {
  return path.split(sep).join('/');
}
