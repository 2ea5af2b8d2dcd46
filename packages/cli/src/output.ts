import { unreachable } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import type { OutputFormat } from './cli-context.ts';

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
      return `${JSON.stringify(document, undefined, 4)}\n`;
    case 'yaml': {
      const { stringify } = await import('yaml');
      return stringify(document, { lineWidth: 0 });
    }
    case 'name':
      return objects.map(formatName).join('');
    default:
      return unreachable(format);
  }
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
