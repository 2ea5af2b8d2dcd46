import type { JsonSchema } from '@fnlet/machinery';

const segment = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/y;

/**
 * Reads a path such as `.spec.color` or `.labels['a.b']` relative to a schema, and returns it as
 * error messages print it (`spec.color`, `labels[a.b]`); `undefined` when it leads nowhere.
 */
export function resolveFieldPath(text: string, schema: JsonSchema): string | undefined {
  let place: JsonSchema | undefined = schema;
  let path = '';
  segment.lastIndex = 0;
  while (segment.lastIndex < text.length) {
    const match = segment.exec(text);
    if (match === null || place === undefined) return undefined;
    const name = match[1] ?? unescapeQuoted(match[2] ?? '');
    if (place.properties !== undefined) {
      place = Object.hasOwn(place.properties, name) ? place.properties[name] : undefined;
      path += path === '' ? name : `.${name}`;
    } else if (typeof place.additionalProperties === 'object') {
      place = place.additionalProperties;
      path += `[${name}]`;
    } else return undefined;
    if (place === undefined) return undefined;
  }
  return path === '' ? undefined : path;
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
]);

function unescapeQuoted(text: string): string {
  return text.replace(/\\(.)/g, (_, char: string) => escapes.get(char) ?? char);
}
