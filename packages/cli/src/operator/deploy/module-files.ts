import { readFile, stat } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, extname, join, relative, resolve, sep } from 'node:path';
import { isJsonObject } from '@fnlet/base';
import { CliError } from '../../cli-error.ts';
import { exitCodes } from '../../exit-codes.ts';
import { sourceFilesMax } from '../../limits.ts';
import type { LocalTree } from '../../source-files.ts';

/** A module and all that it imports, as far as that is the user's own. */
export interface ModuleFiles {
  readonly tree: LocalTree;
  /** The module, relative to the root, with `/` between names and without its ending. */
  readonly module: string;
  /** Text of a package.json with the packages that are imported; absent when there are none. */
  readonly dependencies: string | undefined;
}

/**
 * Finds what a module needs to run elsewhere: the files that are imported by relative paths, and
 * the packages that they import, in the versions that are installed beside it. Tests, samples and
 * what else lies there stay where they are. It reads the text of the imports: a path that is put
 * together while it runs is not found.
 *
 * @throws CliError for more files than a Function may have
 */
export async function findModuleFiles(path: string): Promise<ModuleFiles> {
  const files = new Map<string, readonly string[]>();
  const waiting = [path];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (files.has(next)) continue;
    const imports = await readImports(next);
    files.set(next, imports);
    waiting.push(...(await existing(imports.filter(isRelative).map((one) => from(next, one)))));
    if (files.size > sourceFilesMax) throw tooMany(path);
  }
  const root = commonDirectory([...files.keys()]);
  const names = [...files.keys()].map((file) => relative(root, file)).sort();
  const packages = new Set([...files.values()].flat().flatMap(packageName));
  const module = relative(root, path).split(sep).join('/');
  return {
    tree: { kind: 'tree', root, names },
    module: module.slice(0, module.length - extname(module).length),
    dependencies: await dependenciesText(path, [...packages].sort()),
  };
}

const specifiers = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*(['"])((?:(?!\1)[^\\\n])+)\1/g;

async function readImports(file: string): Promise<readonly string[]> {
  if (!/\.[mc]?[jt]s$/.test(file)) return [];
  const text = await readFile(file, 'utf8');
  return [...text.matchAll(specifiers)].map(([, , specifier = '']) => specifier);
}

function isRelative(specifier: string): boolean {
  return /^\.\.?\//.test(specifier);
}

function from(file: string, specifier: string): string {
  return resolve(dirname(file), specifier.replace(/[?#].*$/, ''));
}

async function existing(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        (one) => one.isFile(),
        () => false,
      ),
    ),
  );
  return paths.filter((_, i) => found[i] === true);
}

function packageName(specifier: string): string[] {
  if (isRelative(specifier) || isBuiltin(specifier)) return [];
  const [name] = /^(@[\w.-]+\/)?[\w.-]+/.exec(specifier) ?? [];
  // The Runner brings the SDK.
  return name === undefined || name === 'fnlet' ? [] : [name];
}

function commonDirectory(files: readonly string[]): string {
  const [first = '', ...others] = files.map(dirname);
  let common = first;
  while (!others.every((other) => `${other}${sep}`.startsWith(`${common}${sep}`))) {
    common = dirname(common);
  }
  return common;
}

async function dependenciesText(
  path: string,
  packages: readonly string[],
): Promise<string | undefined> {
  if (packages.length === 0) return undefined;
  const dependencies: Record<string, string> = {};
  for (const name of packages) {
    const version = await installedVersion(dirname(path), name);
    if (version !== undefined) dependencies[name] = version;
  }
  if (Object.keys(dependencies).length === 0) return undefined;
  return `${JSON.stringify({ private: true, dependencies }, undefined, 2)}\n`;
}

/** What is installed beside the module; what is not is none, or a text that only looks like one. */
async function installedVersion(directory: string, name: string): Promise<string | undefined> {
  const file = join(directory, 'node_modules', name, 'package.json');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text !== undefined) {
    const manifest: unknown = JSON.parse(text);
    return isJsonObject(manifest) && typeof manifest.version === 'string'
      ? manifest.version
      : undefined;
  }
  const parent = dirname(directory);
  return parent === directory ? undefined : installedVersion(parent, name);
}

function tooMany(path: string): CliError {
  const found = `found more than ${sourceFilesMax} files that it imports`;
  return new CliError(exitCodes.usage, `Cannot deploy "${path}": ${found}`, {
    remedy: 'Make them one package, and import that',
  });
}
