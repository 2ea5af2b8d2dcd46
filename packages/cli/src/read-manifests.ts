import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { errorMessage, isJsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import type { CliContext } from './cli-context.ts';
import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';
import { manifestBytesMax } from './limits.ts';

/**
 * The objects of YAML or JSON files, of the files of directories, and of standard input for `-`, in
 * their order; those of Lists one by one.
 *
 * @throws CliError `usage` for what cannot be read, or is no object
 */
export async function readManifests(
  paths: readonly string[],
  context: Pick<CliContext, 'stdin' | 'workingDirectory'>,
): Promise<readonly KubeObject[]> {
  const objects: KubeObject[] = [];
  for (const path of paths) {
    if (path === '-') {
      objects.push(...(await parseManifests(await readAll(context.stdin), 'standard input')));
      continue;
    }
    for (const file of await filesOf(resolve(context.workingDirectory, path), path)) {
      objects.push(...(await parseManifests(await readFile(file, 'utf8'), file)));
    }
  }
  return objects;
}

async function filesOf(place: string, path: string): Promise<readonly string[]> {
  const found = await stat(place).catch((cause: unknown) => {
    throw new CliError(exitCodes.usage, `Cannot read "${path}": ${errorMessage(cause)}`, { cause });
  });
  if (!found.isDirectory()) return [place];
  const names = (await readdir(place)).filter((name) => /\.(ya?ml|json)$/.test(name));
  return names.sort().map((name) => join(place, name));
}

async function readAll(stdin: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    const read = Buffer.from(chunk);
    bytes += read.length;
    if (bytes > manifestBytesMax) {
      const text = `found more than ${manifestBytesMax} bytes`;
      throw new CliError(
        exitCodes.usage,
        `Cannot read standard input: ${text}, expected manifests`,
      );
    }
    chunks.push(read);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The objects in a text of YAML or JSON. `place` is for messages. */
export async function parseManifests(text: string, place: string): Promise<KubeObject[]> {
  const { parseAllDocuments } = await import('yaml');
  return parseAllDocuments(text).flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) {
      const message = `Cannot read "${place}": ${error.message}`;
      throw new CliError(exitCodes.usage, message, { cause: error });
    }
    return objectsOf(document.toJS(), place);
  });
}

function objectsOf(value: unknown, place: string): KubeObject[] {
  // A document of nothing but comments.
  if (value === null || value === undefined) return [];
  if (isJsonObject(value) && Array.isArray(value.items) && String(value.kind).endsWith('List')) {
    return value.items.flatMap((item) => objectsOf(item, place));
  }
  if (isObject(value)) return [value];
  const text = 'found a document without apiVersion, kind and metadata.name, expected an object';
  throw new CliError(exitCodes.usage, `Cannot read "${place}": ${text}`);
}

function isObject(value: unknown): value is KubeObject {
  if (!isJsonObject(value) || !isJsonObject(value.metadata)) return false;
  const { apiVersion, kind, metadata } = value;
  return [apiVersion, kind, metadata.name].every((part) => typeof part === 'string');
}
