import type { HttpSource } from '@fnlet/api';

/**
 * What the path of a request says behind the longest prefix that takes it, without slashes at its
 * ends; the whole path where it was taken by no prefix. `undefined` when nothing is left of it.
 *
 * @param target of the request, as it came
 */
export function pathSubject(target: string, paths: HttpSource['paths'] = []): string | undefined {
  const [path = ''] = target.split('?', 1);
  const taking = paths
    .flatMap(({ prefix }) => (prefix === undefined ? [] : [prefix.replace(/\/$/, '')]))
    .filter((prefix) => path === prefix || path.startsWith(`${prefix}/`));
  const lengths = taking.map(({ length }) => length);
  const rest = path.slice(Math.max(0, ...lengths)).replace(/^\/|\/$/g, '');
  return rest === '' ? undefined : decoded(rest);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
