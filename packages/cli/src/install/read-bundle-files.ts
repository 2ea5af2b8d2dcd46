import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { isJsonObject } from '@fnlet/base';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { type BundleFiles, isBinaryFile } from './plan-bundle.ts';

/** Packages that the program finds where they are installed (tooling/bundle.mjs). */
const packages = [
  ...['yaml', 'tar', 'yauzl', 'lmdb'],
  ...['@nats-io/jetstream', '@nats-io/transport-node', '@platformatic/kafka'],
];

/** LMDB as machine code, for the nodes of clusters; npm installs that of its own machine. */
const machineCode = ['@lmdb/lmdb-linux-x64', '@lmdb/lmdb-linux-arm64'];

/**
 * This command as Pods run it: its newest build and the packages that it needs, below the paths of
 * a checkout.
 *
 * @throws CliError when nobody has made a build
 */
export async function readBundleFiles(): Promise<BundleFiles> {
  const own = findOwnDirectory();
  const build = await readBuildName(own);
  const place = 'packages/cli';
  const files: Record<string, string> = {
    [`${place}/package.json`]: await readFile(join(own, 'package.json'), 'utf8'),
    // No inputs: there are no sources that it could be older than.
    [`${place}/dist/current.json`]: JSON.stringify({ build, inputs: {} }),
  };
  await addTree(files, join(own, 'bin'), `${place}/bin`);
  await addTree(files, join(own, 'dist', build), `${place}/dist/${build}`);
  const found = new Set<string>();
  for (const name of packages) await addPackage(files, { name, from: own, found });
  for (const name of machineCode) {
    if (isInstalled(name, own)) await addPackage(files, { name, from: own, found });
  }
  return files;
}

/** The directory of this package: above the sources, and above its builds. */
function findOwnDirectory(): string {
  let directory = import.meta.dirname;
  while (!existsSync(join(directory, 'bin', 'find-bundle.js'))) {
    const above = dirname(directory);
    if (above === directory) throw noBuild(import.meta.dirname);
    directory = above;
  }
  return directory;
}

async function readBuildName(own: string): Promise<string> {
  const file = join(own, 'dist', 'current.json');
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw noBuild(file, cause);
  });
  const current: unknown = JSON.parse(text);
  if (!isJsonObject(current) || typeof current.build !== 'string') throw noBuild(file);
  return current.build;
}

function noBuild(place: string, cause?: unknown): CliError {
  const message = `Cannot carry Fnlet into the cluster: found no build of it at "${place}"`;
  const remedy = 'Make one with "npm run setup", or name an image with --image';
  return new CliError(exitCodes.failed, message, { cause, remedy });
}

async function addTree(files: Record<string, string>, from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = `${to}/${relative(from, path)}`;
    if (!entry.isFile() || !isWanted(name)) continue;
    files[name] = await readFile(path, isBinaryFile(name) ? 'base64' : 'utf8');
  }
}

// Maps of sources make stack traces better, and the bundle twice as large. Of machine code there is
// what Node takes on systems with glibc, as in its own images.
function isWanted(path: string): boolean {
  const isCode = /\.(js|mjs|cjs|json|py|wasm)$/.test(path) || path.endsWith('napi.glibc.node');
  return isCode && !path.includes('/browser/');
}

interface PackageRequest {
  readonly name: string;
  /** Directory of the package that needs it. */
  readonly from: string;
  readonly found: Set<string>;
}

async function addPackage(files: Record<string, string>, request: PackageRequest): Promise<void> {
  const { name, from, found } = request;
  if (found.has(name)) return;
  found.add(name);
  const directory = findPackage(name, from);
  await addTree(files, directory, `node_modules/${name}`);
  const manifest: unknown = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
  const needs = isJsonObject(manifest) && isJsonObject(manifest.dependencies);
  for (const needed of needs ? Object.keys(manifest.dependencies ?? {}) : []) {
    await addPackage(files, { name: needed, from: directory, found });
  }
}

function findPackage(name: string, from: string): string {
  const place = placeOf(name, from);
  if (place === undefined) throw noBuild(`node_modules/${name}`);
  return join(place, name);
}

function isInstalled(name: string, from: string): boolean {
  return placeOf(name, from) !== undefined;
}

function placeOf(name: string, from: string): string | undefined {
  const places = createRequire(join(from, 'package.json')).resolve.paths(name) ?? [];
  return places.find((path) => existsSync(join(path, name, 'package.json')));
}
