/** The values of a parameter in the query of a request target, decoded as forms are. */
export function queryValues(target: string, name: string): readonly string[] {
  return new URLSearchParams(queryOf(target)).getAll(name);
}

/** The target without any parameter of these names; all others stay byte for byte. */
export function withoutParameters(target: string, names: readonly string[] = []): string {
  return names.length === 0 ? target : names.reduce(withoutParameter, target);
}

function withoutParameter(target: string, name: string): string {
  const query = queryOf(target);
  if (query === '') return target;
  const kept = query.split('&').filter((part) => !new URLSearchParams(part).has(name));
  const path = target.slice(0, target.length - query.length - 1);
  return kept.length === 0 ? path : `${path}?${kept.join('&')}`;
}

function queryOf(target: string): string {
  const start = target.indexOf('?');
  return start < 0 ? '' : target.slice(start + 1);
}
