import { join } from 'node:path';
import { fs } from './builtins.ts';

/** Names of modules that stand for files of the source, as TypeScript's `paths` have them. */
export interface PathAliases {
  /** Names, or patterns with one `*`, and where they lead in the order in which to look. */
  readonly paths: readonly (readonly [pattern: string, targets: readonly string[]])[];
  /** Where names lead that fit none of them; `undefined`: nowhere. */
  readonly baseDirectory: string | undefined;
}

const none: PathAliases = { paths: [], baseDirectory: undefined };

/**
 * What tsconfig.json of this directory says about names of modules (`compilerOptions.paths` and
 * `baseUrl`). Files that it `extends` are not read; one that does not parse says nothing.
 */
export function readPathAliases(directory: string): PathAliases {
  const file = join(directory, 'tsconfig.json');
  if (!fs.existsSync(file)) return none;
  const { compilerOptions } = readFields(parseCommented(fs.readFileSync(file, 'utf8')));
  const { baseUrl, paths } = readFields(compilerOptions);
  const base = typeof baseUrl === 'string' ? join(directory, baseUrl) : undefined;
  return {
    paths: Object.entries(readFields(paths)).map(([pattern, targets]) => {
      const texts = Array.isArray(targets) ? targets.filter(isText) : [];
      return [pattern, texts.map((target) => join(base ?? directory, target))] as const;
    }),
    baseDirectory: base,
  };
}

/** The paths that a name may lead to, without their extensions; of patterns the longest counts. */
export function aliasedPaths(
  specifier: string,
  { paths, baseDirectory }: PathAliases,
): readonly string[] {
  const base = baseDirectory === undefined ? [] : [join(baseDirectory, specifier)];
  let found: readonly string[] | undefined;
  let longest = -1;
  for (const [pattern, targets] of paths) {
    const [before = '', after] = pattern.split('*');
    if (after === undefined) {
      if (specifier === pattern) return targets;
      continue;
    }
    const fits = specifier.startsWith(before) && specifier.endsWith(after);
    const isLong = specifier.length >= before.length + after.length;
    if (!fits || !isLong || before.length <= longest) continue;
    longest = before.length;
    const starred = specifier.slice(before.length, specifier.length - after.length);
    found = targets.map((target) => target.replace('*', () => starred));
  }
  return found ?? base;
}

function readFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** JSON as TypeScript takes it: with comments, and commas at the end. */
function parseCommented(text: string): unknown {
  const plain = text
    .replace(/^\ufeff/, '')
    // Texts first, so that what looks like a comment inside of one stays.
    .replace(/"(?:\\.|[^"\\])*"|\/\/.*|\/\*[\s\S]*?\*\//g, (part) =>
      part.startsWith('"') ? part : ' ',
    )
    .replace(/"(?:\\.|[^"\\])*"|,(?=\s*[}\]])/g, (part) => (part === ',' ? '' : part));
  try {
    return JSON.parse(plain);
  } catch {
    return undefined;
  }
}
