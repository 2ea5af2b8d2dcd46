import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  decideEntry,
  entryCandidates,
  type LoadFailure,
  type Specialisation,
} from '@fnlet/invocation';
import { fs } from './builtins.ts';
import { findHandler, type Handler, type Namespace } from './handler.ts';
import { describeLoadFailure } from './load-failure.ts';
import type { ModuleFormat, ModuleHooks } from './module-hooks.ts';
import { readPackageJson } from './package-json.ts';

export type LoadedFunction =
  | { readonly kind: 'loaded'; readonly handler: Handler }
  | { readonly kind: 'failed'; readonly failure: LoadFailure };

/**
 * Makes this process the process of one Revision: environment, directory, title; then imports the
 * user's module, whose file it tells `onEntry` before, and finds its handler.
 */
export async function loadFunction(
  specialisation: Specialisation,
  hooks: ModuleHooks,
  onEntry: (file: string) => void,
): Promise<LoadedFunction> {
  // Module URLs and stack frames hold real paths; relative paths in failures start there.
  const sourceDirectory = fs.realpathSync(specialisation.sourceDirectory);
  becomeRevision(specialisation, sourceDirectory);
  const entry = findEntry(sourceDirectory, specialisation.handler);
  if (entry.kind === 'notFound') {
    return failed({ code: 'EntryNotFound', message: entry.message });
  }
  const url = pathToFileURL(fs.realpathSync.native(join(sourceDirectory, entry.file))).href;
  hooks.serve({ sourceDirectory, entryUrl: url, compatibility: specialisation.compatibility });
  onEntry(entry.file);
  try {
    const exports = withModuleExports(await import(url), hooks.entryFormat);
    const { compatibility, runtime } = specialisation;
    const system = compatibility && { compatibility, runtime };
    const search = findHandler(exports, entry.exportName, system);
    if (search.kind === 'found') return { kind: 'loaded', handler: search.handler };
    const message = `Cannot use handler "${specialisation.handler}" of "${entry.file}": ${search.message}`;
    return failed({ code: 'MissingExport', message, file: entry.file });
  } catch (error) {
    const { lastLoadedUrl } = hooks;
    return failed(
      describeLoadFailure({
        error,
        sourceDirectory,
        entry: entry.file,
        lastLoadedUrl,
      }),
    );
  }
}

// As Node does from 23 on.
function withModuleExports(exports: Namespace, format: ModuleFormat | undefined): Namespace {
  if (format !== 'commonjs' || 'module.exports' in exports) return exports;
  return { ...exports, 'module.exports': exports.default };
}

function failed(failure: LoadFailure): LoadedFunction {
  return { kind: 'failed', failure };
}

// In place and not by assignment: native code (time zone, child processes) reads the real one.
function becomeRevision(specialisation: Specialisation, sourceDirectory: string): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const [name, value] of Object.entries(specialisation.env)) process.env[name] = value;
  process.chdir(sourceDirectory);
  process.title = `fnlet ${specialisation.namespace}/${specialisation.instance}`;
}

function findEntry(directory: string, handler: string): ReturnType<typeof decideEntry> {
  const packageJson = readPackageJson(directory);
  const top = fs
    .readdirSync(directory, { withFileTypes: true })
    .filter((item) => !item.isDirectory())
    .map((item) => item.name);
  const deeper = entryCandidates(handler, packageJson).filter(
    (path) => path.includes('/') && fs.existsSync(join(directory, path)),
  );
  return decideEntry({ files: [...top, ...deeper], handler, packageJson });
}
