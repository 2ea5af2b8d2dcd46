import { isJsonObject } from '@fnlet/base';

/**
 * What the recorded cases call converters: gives an object in another version of its API, undefined
 * when that version does not exist, and throws when the object cannot be converted.
 */
export function convertVector(
  converter: string,
  object: unknown,
  to: { readonly from: string; readonly version: string; readonly accepted: readonly string[] },
): unknown {
  const { from, version, accepted } = to;
  switch (converter) {
    case 'repeating': {
      const times = /^v(\d+)$/.exec(version)?.[1];
      if (times === undefined) return undefined;
      return renameKeys(object, (key) =>
        /^(.)\1*$/.test(key) ? key.charAt(0).repeat(Number(times)) : key,
      );
    }
    case 'renaming':
      return renameKeys(object, (key) =>
        key.endsWith(`_${from}`) ? key.slice(0, -from.length) + version : key,
      );
    case 'reliantFields':
      return convertReliant(object, version);
    case 'specificVersions':
      return accepted.includes(version) ? object : undefined;
    default:
      return version === '' ? undefined : object;
  }
}

function renameKeys(value: unknown, rename: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renameKeys(item, rename));
  if (!isJsonObject(value)) return value;
  // In order of the old keys: where two become one, the original lets the later one win.
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [rename(key), renameKeys(value[key], rename)]));
}

function convertReliant(object: unknown, version: string): unknown {
  const [before, after] = ['required_field_bar', 'field_foo_rely_on_bar'];
  if (version === 'v2') return renameKeys(object, (key) => (key === after ? before : key));
  if (version !== 'v1') return undefined;
  if (!isJsonObject(object) || !Object.hasOwn(object, before)) throw new Error(`no ${before}`);
  return renameKeys(object, (key) => (key === before ? after : key));
}
