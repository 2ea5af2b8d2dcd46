/**
 * The layer rule of the house: imports go to a lower layer only, never sideways or up, types
 * included; rooms are entered by their door; no cycles between files; a room declares what it
 * imports, and imports what it declares; what a door offers is used outside.
 */
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import {
  importsOf,
  isTest,
  listFiles,
  readSourceFiles,
  reportViolations,
  repositoryRoot,
  resolveRelative,
  type SourceFile,
  type Violation,
} from './source-file.ts';

/** Every room with its layer. A room that is not here may not exist. */
export const layerOf: ReadonlyMap<string, number> = new Map([
  ['base', 0],
  ['machinery', 1],
  ['scaling', 1],
  ['invocation', 1],
  ['schema', 2],
  ['api', 2],
  ['store', 2],
  ['client', 2],
  ['sdk', 2],
  ['apiserver', 3],
  ['runtime-node', 3],
  ['runtime-python', 3],
  ['reconcile', 3],
  ['testing', 4],
  ['executor', 4],
  ['gateway', 4],
  ['eventing', 5],
  ['functions', 5],
  ['operators', 5],
  ['workloads', 5],
  ['dashboard', 5],
  ['server', 6],
  ['cli', 7],
  ['sim', 7],
]);

/** What a room's package.json says: what it needs, and by which doors it is entered. */
export interface RoomManifest {
  readonly path: string;
  readonly dependencies: readonly string[];
  /** Import specifiers, such as `@fnlet/server` and `@fnlet/server/config`. */
  readonly doors: readonly string[];
}

/** The room that a file belongs to; `undefined` for tooling and tests of the whole house. */
export function roomOf(path: string): string | undefined {
  if (path.startsWith('sim/')) return 'sim';
  const match = /^(packages|runtimes)\/([^/]+)\//.exec(path);
  if (match === null) return undefined;
  return match[1] === 'runtimes' ? `runtime-${match[2]}` : match[2];
}

function roomOfSpecifier(specifier: string): string | undefined {
  if (specifier === 'fnlet' || specifier.startsWith('fnlet/')) return 'cli';
  return /^@fnlet\/([^/]+)/.exec(specifier)?.[1];
}

/** All violations of the layer rule among these files. */
export function checkLayers(
  files: readonly SourceFile[],
  manifests: readonly RoomManifest[],
): Violation[] {
  const doors = new Set(manifests.flatMap((manifest) => manifest.doors));
  return [
    ...files.flatMap((file) => checkFileImports(file, doors)),
    ...checkCycles(files),
    ...checkDeclarations(files, manifests),
    ...checkDoorUse(files),
  ];
}

function checkFileImports(file: SourceFile, doors: ReadonlySet<string>): Violation[] {
  const room = roomOf(file.path);
  if (room === undefined) return [];
  if (!layerOf.has(room)) {
    return [{ path: file.path, line: 0, message: `room "${room}" has no layer` }];
  }
  return importsOf(file).flatMap(({ specifier, line }) => {
    const message = specifier.startsWith('.')
      ? explainRelative(file.path, room, specifier)
      : (explainOrder(file.path, room, specifier) ?? explainDoor(specifier, doors));
    return message === undefined ? [] : [{ path: file.path, line, message }];
  });
}

function explainRelative(path: string, room: string, specifier: string): string | undefined {
  const target = resolveRelative(path, specifier);
  const targetRoom = roomOf(target);
  if (targetRoom === room) return undefined;
  // Contract suites are shared by the rooms that implement the contract, but never shipped.
  const isContract = isTest(path) && target.endsWith('-contract.ts');
  if (isContract && targetRoom !== undefined) {
    return explainOrder(path, room, `@fnlet/${targetRoom}`);
  }
  return `imports "${specifier}" from outside its room, expected the door of a room`;
}

function explainDoor(specifier: string, doors: ReadonlySet<string>): string | undefined {
  const target = roomOfSpecifier(specifier);
  if (target === undefined || target === 'cli' || doors.has(specifier)) return undefined;
  return `imports "${specifier}", expected a door such as "@fnlet/${target}"`;
}

function explainOrder(path: string, room: string, specifier: string): string | undefined {
  const target = roomOfSpecifier(specifier);
  if (target === undefined || target === room) return undefined;
  const from = layerOf.get(room);
  const to = layerOf.get(target);
  if (to === undefined) return `imports unknown room "${target}"`;
  if (from === undefined || to < from) return undefined;
  // Tests may stand a room beside one of its own layer (the store behind a client), never above.
  if (to === from && isTest(path)) return undefined;
  const way = to === from ? 'sideways' : 'up';
  return `imports ${way}: ${room} (layer ${from}) from ${target} (layer ${to})`;
}

/** Import cycles between files, each named once by its path. */
function checkCycles(files: readonly SourceFile[]): Violation[] {
  const graph = new Map(files.map((file) => [file.path, relativeTargets(file)]));
  const done = new Set<string>();
  const violations: Violation[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      const cycle = [...trail.slice(start), path].join(' -> ');
      violations.push({ path, line: 0, message: `import cycle: ${cycle}` });
      return;
    }
    if (done.has(path)) return;
    for (const target of graph.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return violations;
}

function relativeTargets(file: SourceFile): string[] {
  return importsOf(file)
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier }) => resolveRelative(file.path, specifier));
}

/** A room's package.json names exactly the packages that its files import. */
function checkDeclarations(
  files: readonly SourceFile[],
  manifests: readonly RoomManifest[],
): Violation[] {
  return manifests.flatMap((manifest) => {
    const folder = `${dirname(manifest.path)}/`;
    const own = files.filter((file) => file.path.startsWith(folder));
    const used = new Set(own.flatMap(packagesOf));
    const shipped = new Set(own.filter((file) => !isTest(file.path)).flatMap(packagesOf));
    const declared = new Set(manifest.dependencies);
    const missing = [...shipped].filter((name) => !declared.has(name));
    const unused = [...declared].filter((name) => !used.has(name));
    return [
      ...missing.map((name) => `imports "${name}" without declaring it`),
      ...unused.map((name) => `declares "${name}" but nothing imports it`),
    ].map((message) => ({ path: manifest.path, line: 0, message }));
  });
}

function packagesOf(file: SourceFile): string[] {
  return importsOf(file)
    .map(({ specifier }) => specifier)
    .filter((specifier) => !specifier.startsWith('.') && !isBuiltin(specifier))
    .map((specifier) => /^(@[^/]+\/[^/]+|[^/]+)/.exec(specifier)?.[1] ?? specifier)
    .filter((name) => name !== 'fast-check' && name !== 'fnlet');
}

// Rooms that users import: their doors are documented API. The command is nobody's import.
const publishedRooms: ReadonlySet<string> = new Set(['sdk', 'testing', 'cli']);

/**
 * Functions, values and classes that leave a room by its door are named by some file outside.
 * Types belong to what takes and gives them, and errors are recognised by their code.
 */
function checkDoorUse(files: readonly SourceFile[]): Violation[] {
  return files
    .filter(({ path }) => /^packages\/[^/]+\/src\/index\.ts$/.test(path))
    .filter(({ path }) => !publishedRooms.has(roomOf(path) ?? ''))
    .flatMap((door) => {
      const room = roomOf(door.path);
      const outside = files.filter(({ path }) => roomOf(path) !== room);
      return exportedValues(door)
        .filter((name) => !name.endsWith('Error'))
        .filter((name) => !outside.some(({ text }) => new RegExp(`\\b${name}\\b`).test(text)))
        .map((name) => `exports "${name}", which nothing outside the room uses`)
        .map((message) => ({ path: door.path, line: 0, message }));
    });
}

function exportedValues({ text }: SourceFile): string[] {
  return [...text.matchAll(/^export \{([^}]*)\}/gm)]
    .flatMap(([, names = '']) => names.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
}

function readManifests(): RoomManifest[] {
  return listFiles(['packages/*/package.json', 'runtimes/*/package.json']).map((path) => {
    const parsed: {
      name: string;
      dependencies?: Record<string, string>;
      exports?: Record<string, string>;
    } = JSON.parse(readFileSync(join(repositoryRoot, path), 'utf8'));
    const doors = Object.keys(parsed.exports ?? {}).map((door) => parsed.name + door.slice(1));
    return { path, dependencies: Object.keys(parsed.dependencies ?? {}), doors };
  });
}

if (import.meta.main) {
  const files = readSourceFiles();
  process.exitCode = reportViolations('layers', checkLayers(files, readManifests())) ? 0 : 1;
}
