import { dirname, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compileFunction } from 'node:vm';
import { type Compatibility, nodeSourceExtensions } from '@fnlet/invocation';
import { fs, nodeModule } from './builtins.ts';
import { readPackageJson } from './package-json.ts';
import { aliasedPaths, type PathAliases, readPathAliases } from './path-aliases.ts';

/** Node's way to modules, as this Runner has changed it. */
export interface ModuleHooks {
  /** URL of the module that was read last. */
  readonly lastLoadedUrl: string | undefined;
  /** What the entry of the Function turned out to be; unknown where Node alone decided it. */
  readonly entryFormat: ModuleFormat | undefined;
  /** From now on the Function is this one. */
  serve(source: ServedSource): void;
}

/** Where the modules of a Function are. */
export interface ServedSource {
  /** What lies below this directory belongs to it. */
  readonly sourceDirectory: string;
  readonly entryUrl: string;
  readonly compatibility: Compatibility | undefined;
}

export type ModuleFormat = 'module' | 'commonjs';

/**
 * Teaches Node about the code of a Function. To be called once, before there is one.
 *
 * - TypeScript files below its directory were stripped when the artifact was prepared and hold
 *   JavaScript under their original names: they are loaded as they are. TypeScript elsewhere is
 *   Node's own business.
 * - A `.js` file without a package.json needs none: Node would detect its format as well, but with
 *   a warning in the log that a Function's author can do nothing with.
 * - Relative imports may leave out the extension or name the compiled `.js` of a `.ts` file, and
 *   names that nobody else knows may be those of `paths` in tsconfig.json.
 * - `fnlet` and its doors lead to the SDK that came with this Runner, unless the Function brings
 *   one of its own. So does `sdk`, for functions of Kyma, to what takes the place of Kyma's.
 */
export function installModuleHooks(): ModuleHooks {
  let sourceDirectory = '';
  // No URL starts like this one.
  let sourceUrl = 'no source';
  let knownUrl: string | undefined;
  let compatibility: Compatibility | undefined;
  let lastLoadedUrl: string | undefined;
  let entryFormat: ModuleFormat | undefined;
  // Read with the first name that leads nowhere.
  let aliases: PathAliases | undefined;
  nodeModule.registerHooks({
    resolve(specifier, context, nextResolve) {
      // The entry is known by its real path, and its format is told by `load`: what Node would look
      // up for it is a third of the time that a small Function takes to load.
      if (specifier === knownUrl) return { url: specifier, shortCircuit: true };
      const { parentURL } = context;
      if (!isBelow(parentURL, sourceUrl)) return nextResolve(specifier, context);
      try {
        return nextResolve(specifier, context);
      } catch (error) {
        if (!isNotFound(error)) throw error;
        const door = sdkDoor(specifier) ?? kymaDoor(specifier, compatibility);
        // Whole, and not by way of another parent: `require` has no eyes for that one.
        if (door !== undefined) return { url: door, shortCircuit: true };
        if (parentURL.includes('/node_modules/')) throw error;
        if (/^\.\.?\//.test(specifier)) {
          const file = findMeant(specifier, parentURL);
          if (file === undefined) throw error;
          return nextResolve(file, context);
        }
        aliases ??= readPathAliases(sourceDirectory);
        const url = findAliased(specifier, aliases);
        if (url === undefined) throw error;
        return { url, shortCircuit: true };
      }
    },
    load(url, context, nextLoad) {
      lastLoadedUrl = url;
      const known = ownFormat(url, sourceUrl);
      if (known === undefined) return nextLoad(url, context);
      const path = fileURLToPath(url);
      const source = fs.readFileSync(path, 'utf8');
      const format = known === 'detect' ? detectFormat(path, source, sourceDirectory) : known;
      if (url === knownUrl) entryFormat = format;
      if (format === 'commonjs' && hasDeafRequire) return nextLoad(url, { ...context, format });
      return { format, source, shortCircuit: true };
    },
  });
  return {
    get lastLoadedUrl() {
      return lastLoadedUrl;
    },
    get entryFormat() {
      return entryFormat;
    },
    serve(source) {
      const { entryUrl } = source;
      ({ sourceDirectory, compatibility } = source);
      aliases = undefined;
      sourceUrl = pathToFileURL(`${sourceDirectory}${sep}`).href;
      knownUrl = ownFormat(entryUrl, sourceUrl) === undefined ? undefined : entryUrl;
      lastLoadedUrl = undefined;
      entryFormat = entryUrl.endsWith('.cjs') ? 'commonjs' : undefined;
    },
  };
}

function sdkDoor(specifier: string): string | undefined {
  if (specifier !== 'fnlet' && !specifier.startsWith('fnlet/')) return undefined;
  try {
    return import.meta.resolve(specifier.replace(/^fnlet/, '@fnlet/sdk'));
  } catch {
    // A door that this SDK does not have is missing like a package that is not installed.
    return undefined;
  }
}

// In Node 22 the `require` of a module whose source came from a hook is not heard by hooks.
const hasDeafRequire = Number.parseInt(process.versions.node, 10) < 24;

function kymaDoor(specifier: string, compatibility: Compatibility | undefined): string | undefined {
  if (compatibility !== 'kyma' || specifier !== 'sdk') return undefined;
  // In the sources a TypeScript file, in the bundle one that was made of it.
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.mjs';
  return new URL(`./kyma-sdk${extension}`, import.meta.url).href;
}

// TypeScript is often written for a compiler or bundler: `./a` and `./a.js` may mean `a.ts`.
function findMeant(specifier: string, parentURL: string): string | undefined {
  const compiled = specifier.replace(/\.([mc]?)js$/, '.$1ts');
  const guesses = compiled === specifier ? completions(specifier) : [compiled];
  return guesses.find((guess) => fs.existsSync(new URL(guess, parentURL)));
}

function findAliased(specifier: string, aliases: PathAliases): string | undefined {
  const urls = aliasedPaths(specifier, aliases).map((path) => pathToFileURL(path).href);
  const guesses = urls.flatMap((url) => [
    url,
    url.replace(/\.([mc]?)js$/, '.$1ts'),
    ...completions(url),
  ]);
  return guesses.find((guess) => isFile(new URL(guess)));
}

function isFile(url: URL): boolean {
  return fs.statSync(url, { throwIfNoEntry: false })?.isFile() === true;
}

function completions(specifier: string): string[] {
  const bases = [specifier, `${specifier.replace(/\/$/, '')}/index`];
  return bases.flatMap((base) => nodeSourceExtensions.map((extension) => base + extension));
}

function isBelow(url: string | undefined, directoryUrl: string): url is string {
  return url?.startsWith(directoryUrl) === true;
}

function isNotFound(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return notFoundCodes.has(error.code);
}

const notFoundCodes: ReadonlySet<unknown> = new Set([
  'ERR_MODULE_NOT_FOUND',
  'MODULE_NOT_FOUND',
  'ERR_UNSUPPORTED_DIR_IMPORT',
]);

function ownFormat(url: string, sourceUrl: string): ModuleFormat | 'detect' | undefined {
  if (!url.startsWith(sourceUrl) || url.includes('/node_modules/')) return undefined;
  const path = url.replace(/[?#].*$/, '');
  if (path.endsWith('.mts')) return 'module';
  if (path.endsWith('.cts')) return 'commonjs';
  return path.endsWith('.ts') || path.endsWith('.js') ? 'detect' : undefined;
}

// Node's rule for a .js file, which it does not offer for sources that come from a hook: the
// nearest package.json decides, and without its word the syntax does.
function detectFormat(path: string, source: string, sourceDirectory: string): ModuleFormat {
  const declared = declaredType(path, sourceDirectory);
  if (declared !== undefined) return declared;
  if (opensAsModule(source)) return 'module';
  try {
    compileFunction(source, ['exports', 'require', 'module', '__filename', '__dirname']);
    return 'commonjs';
  } catch {
    // Broken code is broken either way; ES modules report the better position.
    return 'module';
  }
}

// Whether the first statement is one that only an ES module can have. It spares most of them a
// compilation that fails, which takes a third of a millisecond.
function opensAsModule(source: string): boolean {
  // Sticky, one comment at a time: a single expression could be made to backtrack for ever.
  const blank = /\s+|\/\/.*|\/\*[\s\S]*?\*\//y;
  const statement = /export\b|import\b(?!\s*[(.])/y;
  while (blank.test(source)) statement.lastIndex = blank.lastIndex;
  return statement.test(source);
}

// Packages below node_modules never get here, so the search ends where the source ends.
function declaredType(path: string, sourceDirectory: string): ModuleFormat | undefined {
  for (let directory = dirname(path); ; directory = dirname(directory)) {
    const packageJson = readPackageJson(directory);
    if (packageJson !== undefined) return packageType(packageJson);
    if (directory === sourceDirectory || directory === dirname(directory)) return undefined;
  }
}

function packageType(packageJson: unknown): ModuleFormat | undefined {
  if (typeof packageJson !== 'object' || packageJson === null) return undefined;
  if (!('type' in packageJson)) return undefined;
  const { type } = packageJson;
  return type === 'module' || type === 'commonjs' ? type : undefined;
}
