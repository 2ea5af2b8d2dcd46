import { unreachable } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import type { DocumentFormat, OutputFormat } from './cli-context.ts';

/** One object, or a list of them, in the format that the user asked for. */
export async function formatObjects(
  format: Exclude<OutputFormat, 'table'>,
  value: KubeObject | readonly KubeObject[],
): Promise<string> {
  const objects: readonly KubeObject[] = isList(value) ? value : [value];
  const document = isList(value)
    ? { apiVersion: 'v1', kind: 'List', metadata: {}, items: objects.map(withoutManagedFields) }
    : withoutManagedFields(value);
  switch (format) {
    case 'json':
    case 'yaml':
      return formatDocument(format, document);
    case 'name':
      return objects.map(formatName).join('');
    default:
      return unreachable(format);
  }
}

/** A value of its own in JSON or YAML, ended by a line break. */
export async function formatDocument(format: DocumentFormat, value: object): Promise<string> {
  if (format === 'json') return `${JSON.stringify(value, undefined, 4)}\n`;
  const { stringify } = await import('yaml');
  // kubectl reads YAML 1.1, where a plain `off` is false.
  return stringify(value, { lineWidth: 0, compat: 'yaml-1.1' });
}

/** Objects to be applied: documents of one stream, or a List; `kubectl apply -f -` takes both. */
export async function formatManifests(
  format: DocumentFormat,
  objects: readonly object[],
): Promise<string> {
  if (format === 'json') {
    const list = { apiVersion: 'v1', kind: 'List', metadata: {}, items: objects };
    return formatDocument('json', list);
  }
  const documents = await Promise.all(objects.map((object) => formatDocument('yaml', object)));
  return documents.join('---\n');
}

function isList(value: KubeObject | readonly KubeObject[]): value is readonly KubeObject[] {
  return Array.isArray(value);
}

/** `function.fnlet.dev/hello`, as kubectl names objects. */
function formatName({ apiVersion, kind, metadata }: KubeObject): string {
  const group = apiVersion.includes('/') ? `.${apiVersion.split('/')[0]}` : '';
  return `${kind.toLowerCase()}${group}/${metadata.name}\n`;
}

// kubectl hides them too: they are for machines, and longer than the rest.
function withoutManagedFields(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
