import { type ConfigMapSource, functionReasons } from '@fnlet/api';
import type { ConfigMap } from '../core-kinds.ts';
import type { ResolvedSource, Unresolved } from './resolved-source.ts';

/**
 * The files of a ConfigMap. A Revision keeps them itself: they fit into one object, and the
 * ConfigMap may be another one tomorrow.
 */
export function resolveConfigMap(
  { name, items }: ConfigMapSource,
  configMap: ConfigMap | undefined,
): ResolvedSource {
  if (configMap === undefined) {
    return notFound(`ConfigMap "${name}" does not exist: create it`);
  }
  const contents = { ...configMap.binaryData, ...configMap.data };
  const wanted = items ?? Object.keys(contents).map((key) => ({ key, path: key }));
  if (wanted.length === 0) return notFound(`ConfigMap "${name}" has no keys: expected files`);
  const files: Record<string, string> = {};
  for (const { key, path } of wanted) {
    if (contents[key] === undefined) return notFound(`ConfigMap "${name}" has no key "${key}"`);
    const text = configMap.data?.[key] ?? decodeText(configMap.binaryData?.[key] ?? '');
    if (text === undefined) {
      const found = `Cannot use key "${key}" of ConfigMap "${name}": found binary data`;
      const message = `${found}, expected text; give such files in an archive or a repository`;
      return { kind: 'unresolved', reason: functionReasons.sourceInvalid, message };
    }
    files[path] = text;
  }
  return { kind: 'resolved', source: { files } };
}

function notFound(message: string): Unresolved {
  return { kind: 'unresolved', reason: functionReasons.sourceNotFound, message };
}

function decodeText(base64: string): string | undefined {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return decoder.decode(Buffer.from(base64, 'base64'));
  } catch {
    return undefined;
  }
}
