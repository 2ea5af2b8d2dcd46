import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { errorMessage, hasCode, isJsonObject, type JsonObject } from '@fnlet/base';
import { KubeconfigError } from './kubeconfig-error.ts';

/** A named part of a kubeconfig, and the file that it stands in. */
export interface KubeconfigEntry {
  readonly name: string;
  readonly fields: JsonObject;
  readonly file: string;
}

/** One or several kubeconfig files as one. */
export interface KubeconfigContents {
  readonly currentContext: string | undefined;
  readonly contexts: readonly KubeconfigEntry[];
  readonly clusters: readonly KubeconfigEntry[];
  readonly users: readonly KubeconfigEntry[];
}

/**
 * Reads and merges kubeconfig files as kubectl does: of parts with the same name, and of current
 * contexts, the first file's counts.
 */
export async function readKubeconfigFiles(files: readonly string[]): Promise<KubeconfigContents> {
  const all = await Promise.all(files.map(readKubeconfigFile));
  return {
    currentContext: all.find(({ currentContext }) => currentContext !== undefined)?.currentContext,
    contexts: all.flatMap(({ contexts }) => contexts),
    clusters: all.flatMap(({ clusters }) => clusters),
    users: all.flatMap(({ users }) => users),
  };
}

async function readKubeconfigFile(file: string): Promise<KubeconfigContents> {
  const config = await parseYaml(await readText(file), file);
  const current = config['current-context'];
  return {
    currentContext: typeof current === 'string' && current !== '' ? current : undefined,
    contexts: entries(config.contexts, 'context', file),
    clusters: entries(config.clusters, 'cluster', file),
    users: entries(config.users, 'user', file),
  };
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const isMissing = hasCode(error, 'ENOENT');
    throw new KubeconfigError(
      isMissing ? 'NotFound' : 'Invalid',
      `Cannot read kubeconfig "${file}": ${isMissing ? 'found no file' : errorMessage(error)}, ` +
        'expected a kubeconfig',
      { cause: error, remedy: 'Name one with --kubeconfig or KUBECONFIG' },
    );
  }
}

async function parseYaml(text: string, file: string): Promise<JsonObject> {
  // Loaded here, so that a process that never reads a kubeconfig never loads the parser.
  const { parse } = await import('yaml');
  try {
    const config: unknown = parse(text);
    // An empty file is an empty kubeconfig.
    if (config === null) return {};
    if (isJsonObject(config)) return config;
  } catch (error) {
    // The parser goes on with a drawing of the place.
    const [found = ''] = errorMessage(error).split('\n', 1);
    throw invalid(file, found.replace(/:$/, ''), error);
  }
  throw invalid(file, 'found no mapping');
}

function invalid(file: string, found: string, cause?: unknown): KubeconfigError {
  const message = `Cannot read kubeconfig "${file}": ${found}, expected YAML of kind Config`;
  return new KubeconfigError('Invalid', message, {
    cause,
    remedy: 'Mend it, or name another one with --kubeconfig or KUBECONFIG',
  });
}

function entries(list: unknown, field: string, file: string): readonly KubeconfigEntry[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) => {
    if (!isJsonObject(item) || typeof item.name !== 'string') return [];
    const fields = item[field];
    return [{ name: item.name, fields: isJsonObject(fields) ? fields : {}, file }];
  });
}

/**
 * A value that stands inline in base64 (`<field>-data`) or in a file (`<field>`), whose path is
 * relative to the kubeconfig. Inline data wins.
 */
export async function readData(entry: KubeconfigEntry, field: string): Promise<string | undefined> {
  const inline = entry.fields[`${field}-data`];
  if (typeof inline === 'string' && inline !== '') {
    return Buffer.from(inline, 'base64').toString('utf8');
  }
  return readReference(entry, field);
}

/** The path in `field`, which is relative to the kubeconfig. */
export function readPath(entry: KubeconfigEntry, field: string): string | undefined {
  const path = entry.fields[field];
  return typeof path === 'string' && path !== '' ? resolve(dirname(entry.file), path) : undefined;
}

async function readReference(entry: KubeconfigEntry, field: string): Promise<string | undefined> {
  const file = readPath(entry, field);
  if (file === undefined) return undefined;
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new KubeconfigError(
      'Invalid',
      `Cannot read ${field} of "${entry.name}" in kubeconfig "${entry.file}": ` +
        `${errorMessage(error)}, expected a readable file`,
      { cause: error },
    );
  }
}
