import { errorMessage, isJsonObject, type JsonObject } from '@fnlet/base';
import { ArtifactError } from './artifact-error.ts';

/** What a function needs from npm, as far as it decides what gets installed. */
export interface DependencyManifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly overrides: JsonObject;
  /** Not installed, but a lock that somebody made names them too, and npm compares. */
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** The text of dependencies, read. */
export interface ParsedDependencies {
  /** `undefined` when nothing is to be installed. */
  readonly manifest: DependencyManifest | undefined;
  /** Whether the text is a whole package.json, which also says how the code is loaded. */
  readonly isPackageJson: boolean;
  /** Whether the text names everything that is to be installed. */
  readonly isComplete: boolean;
}

const packageKeys = ['name', 'version', 'type', 'main', 'private', 'description', 'license'];
// Where npm would look beside the package.json: what is installed is shared by others, elsewhere.
// A directory of the machine, from its root, is the same from there.
const local = /^(file:(?!\/)|link:|workspace:|portal:|\.{1,2}[\\/]|[\\/]|~[\\/])/;
const installed: readonly string[] = ['dependencies', 'optionalDependencies'];
const packageName = /^(@[a-z0-9-~][a-z0-9-._~]*\/)?[a-z0-9-~][a-z0-9-._~]*$/i;

/**
 * Reads a package.json, or only its dependencies as a map such as `{"lodash": "^4"}`.
 *
 * @param file What the text is called in messages.
 * @param imported What is installed besides, unless the text has a version of it.
 * @throws ArtifactError `BrokenManifest` with the position where the text is not JSON
 */
export function parseDependencies(
  text: string,
  file: string,
  imported: Readonly<Record<string, string>> = {},
): ParsedDependencies {
  const value = text.trim() === '' ? {} : parseJson(text, file);
  if (!isJsonObject(value)) throw broken(file, 'it is not an object', 'a package.json');
  const isPackageJson =
    packageKeys.some((key) => Object.hasOwn(value, key)) ||
    Object.values(value).some((entry) => typeof entry !== 'string');
  const source = isPackageJson ? value : { dependencies: value };
  const { overrides } = source;
  const own = readVersions(source, 'dependencies', file);
  const manifest: DependencyManifest = {
    dependencies: { ...imported, ...own },
    optionalDependencies: readVersions(source, 'optionalDependencies', file),
    overrides: isJsonObject(overrides) ? overrides : {},
    devDependencies: readVersions(source, 'devDependencies', file),
    peerDependencies: readVersions(source, 'peerDependencies', file),
  };
  const wanted =
    Object.keys(manifest.dependencies).length + Object.keys(manifest.optionalDependencies).length;
  const isComplete = Object.keys(imported).every((name) => name in own);
  return { manifest: wanted === 0 ? undefined : manifest, isPackageJson, isComplete };
}

function readVersions(source: JsonObject, key: string, file: string): Record<string, string> {
  const value = source[key] ?? {};
  if (!isJsonObject(value)) throw broken(file, `${key} is no object`, 'names with versions');
  const versions: Record<string, string> = {};
  for (const [name, version] of Object.entries(value)) {
    if (!packageName.test(name)) {
      throw broken(file, `${key} has the name ${JSON.stringify(name)}`, 'the name of a package');
    }
    if (typeof version !== 'string') {
      const found = `${key}.${name} is ${JSON.stringify(version)}`;
      throw broken(file, found, 'a version such as "^4.17.0"');
    }
    if (installed.includes(key) && local.test(version)) {
      const found = `${key}.${name} is ${JSON.stringify(version)}, a package of the source itself`;
      const expected = 'a version: code of the source is imported by its path';
      const message = `Cannot read ${file}: ${found}, expected ${expected}`;
      const remedy = 'Import it by a relative path, or by a name in "imports" of package.json.';
      throw new ArtifactError('BrokenManifest', message, { file, remedy });
    }
    versions[name] = version;
  }
  return versions;
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = findPosition(text, errorMessage(error));
    const at = `${file}:${position.line}:${position.column}`;
    throw new ArtifactError('BrokenManifest', `Cannot read ${at}: ${errorMessage(error)}`, {
      cause: error,
      remedy: 'Correct the JSON text of the dependencies.',
      file,
      ...position,
    });
  }
}

// The engine says `at position 17`, or nothing when the text ends too early.
function findPosition(text: string, message: string): { line: number; column: number } {
  const told = /position (\d+)/.exec(message)?.[1];
  const before = text.slice(0, told === undefined ? text.length : Number(told)).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

function broken(file: string, found: string, expected: string): ArtifactError {
  return new ArtifactError(
    'BrokenManifest',
    `Cannot read ${file}: ${found}, expected ${expected}`,
    {
      file,
      remedy: 'Give a package.json, or a map of package names to versions.',
    },
  );
}
