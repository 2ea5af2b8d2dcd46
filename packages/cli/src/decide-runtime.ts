import { builtinRuntimes, type KnownRuntime, knownRuntime, type RuntimeObject } from '@fnlet/api';

/** What runs a source that says nothing by its files. */
const usual = 'nodejs24';

// In the order in which Runners look for the file that a source starts with.
const entryNames = ['handler', 'index', 'main', 'app'];

/**
 * The runtime that a source is meant for, by the ending of the file that it starts with: the usual
 * one for JavaScript and TypeScript, the newest Python that the machine has, or one that was added.
 *
 * @param paths of the files of the source
 * @param runtimes as the API has them; none when they may not be read
 */
export function decideRuntime(
  paths: readonly string[],
  runtimes: readonly RuntimeObject[],
): string {
  const isBuiltin = ({ name }: KnownRuntime): boolean =>
    builtinRuntimes.some((builtin) => builtin.name === name);
  const added = runtimes.map(knownRuntime).filter((runtime) => !isBuiltin(runtime));
  const known = [...builtinRuntimes, ...added];
  const top = paths.filter((path) => !path.includes('/'));
  if (top.includes('package.json')) return usual;
  const fitting = (path: string): readonly KnownRuntime[] =>
    known.filter(({ extensions }) => extensions.some((extension) => path.endsWith(extension)));
  const rank = (path: string): number => {
    const index = entryNames.indexOf(path.split('.')[0] ?? '');
    return index === -1 ? entryNames.length : index;
  };
  const [entry] = top.filter((path) => fitting(path).length > 0).sort((a, b) => rank(a) - rank(b));
  const names = entry === undefined ? [] : fitting(entry).map(({ name }) => name);
  if (names.length === 0 || names.includes(usual)) return usual;
  const isHere = (name: string): boolean =>
    runtimes.some(({ metadata, status }) => metadata.name === name && status?.state === 'found');
  return names.findLast(isHere) ?? names.at(-1) ?? usual;
}
