/** Extensions of the files that the Node Runner takes for an entry, in order of preference. */
export const nodeSourceExtensions: readonly string[] = [
  '.ts',
  '.mts',
  '.cts',
  '.js',
  '.mjs',
  '.cjs',
];

/** Names (without extension) that an entry file has by convention, in order of preference. */
export const entryNames: readonly string[] = ['handler', 'index', 'main'];

/** Where the code of a Function starts. */
export interface EntryQuestion {
  /** Paths of the source files, relative to the source directory, with `/` between names. */
  readonly files: readonly string[];
  /** `default`, the name of an export, or `module.export`. */
  readonly handler: string;
  /** The parsed package.json among the files; anything that is not an object counts as absent. */
  readonly packageJson?: unknown;
}

export type Entry =
  | {
      readonly kind: 'found';
      /** Path relative to the source directory. */
      readonly file: string;
      /** Name of the export that handles calls; `default` also stands for the style's own names. */
      readonly exportName: string;
    }
  | { readonly kind: 'notFound'; readonly message: string };

/**
 * Which file of a Function's source is loaded, and which of its exports is called.
 *
 * 1. A handler `module.export` names the file: `module` plus one of {@link nodeSourceExtensions}.
 * 2. Otherwise what package.json names, `exports` before `main`, if that file exists.
 * 3. Otherwise `handler`, `index` or `main` at the top of the source.
 * 4. A source with one code file at its top needs no convention: that file is the entry.
 */
export function decideEntry(question: EntryQuestion): Entry {
  const { module, exportName } = splitHandler(question.handler);
  const candidates = entryCandidates(question.handler, question.packageJson);
  const files = new Set(question.files.map(plainPath));
  const named = candidates.find((candidate) => files.has(candidate));
  if (named !== undefined) return { kind: 'found', file: named, exportName };
  const [only, ...others] = [...files].filter(isTopLevelSource);
  if (only !== undefined && others.length === 0) return { kind: 'found', file: only, exportName };
  const looked = module === undefined ? conventionalNames() : alternatives(module);
  const message =
    `Cannot find the entry of handler "${question.handler}": found ${listed(files)}, ` +
    `expected ${looked}${module === undefined ? ' or "main" in package.json' : ''}`;
  return { kind: 'notFound', message };
}

/** The paths that {@link decideEntry} tries, in its order. */
export function entryCandidates(handler: string, packageJson?: unknown): readonly string[] {
  const { module } = splitHandler(handler);
  if (module !== undefined) return withExtensions(plainPath(module));
  const declared = declaredEntries(packageJson).flatMap((path) => [
    path,
    ...withExtensions(path),
    // As `require` takes a directory.
    ...withExtensions(`${path.replace(/\/$/, '')}/index`),
  ]);
  return [...declared, ...entryNames.flatMap(withExtensions)];
}

/** The two halves of a handler: `api/users.get` is export `get` of module `api/users`. */
export function splitHandler(handler: string): {
  readonly module: string | undefined;
  readonly exportName: string;
} {
  const dot = handler.lastIndexOf('.');
  if (dot <= 0) return { module: undefined, exportName: handler };
  return { module: handler.slice(0, dot), exportName: handler.slice(dot + 1) };
}

// Declared paths come from users: `./dist/index.js` and `dist/index.js` are one file.
function declaredEntries(packageJson: unknown): string[] {
  if (!isRecord(packageJson)) return [];
  const root = isRecord(packageJson.exports) ? packageJson.exports['.'] : packageJson.exports;
  const conditions = isRecord(root) ? [root.node, root.import, root.default, root.require] : [root];
  return [...conditions, packageJson.main]
    .filter((path) => typeof path === 'string')
    .map(plainPath);
}

function withExtensions(path: string): string[] {
  return nodeSourceExtensions.map((extension) => `${path}${extension}`);
}

function plainPath(path: string): string {
  return path.replace(/^(?:\.\/)+/, '');
}

function isTopLevelSource(file: string): boolean {
  const isDeclaration = /\.d\.[mc]?ts$/.test(file);
  const isSource = nodeSourceExtensions.some((extension) => file.endsWith(extension));
  return isSource && !isDeclaration && !file.includes('/');
}

function conventionalNames(): string {
  return `one of ${entryNames.join(', ')} with an extension of ${nodeSourceExtensions.join(', ')}`;
}

function alternatives(module: string): string {
  return `${module} with an extension of ${nodeSourceExtensions.join(', ')}`;
}

const listedMax = 10;

function listed(files: ReadonlySet<string>): string {
  if (files.size === 0) return 'no files';
  const more = files.size > listedMax ? ` and ${files.size - listedMax} more` : '';
  return `${[...files].sort().slice(0, listedMax).join(', ')}${more}`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
