import { ArtifactError } from './artifact-error.ts';
import type { DependencySource } from './dependency-installer.ts';
import { parseDependencies } from './dependency-manifest.ts';
import type { NodeProgram } from './npm-installer.ts';
import type { PythonProgram } from './pip-command.ts';
import { parseRequirements } from './pip-requirements.ts';
import type { SourceFiles } from './source-files.ts';

/** Where a source finds its dependencies: a link at its top, by the name that its language knows. */
export type DependencyFolder = 'node_modules' | 'site-packages';

/** The names of {@link DependencyFolder}. */
export const dependencyFolders: readonly DependencyFolder[] = ['node_modules', 'site-packages'];

/** Files that say which dependencies a source has. */
export const manifestFiles: readonly string[] = [
  'package.json',
  'package-lock.json',
  'requirements.txt',
];

/** The part of a source that decides what is installed for it. */
export interface DependencyQuestion {
  /** At least the {@link manifestFiles} of the source. */
  readonly files: SourceFiles;
  /** What is given instead of a file. */
  readonly dependencies?: string | undefined;
  readonly allowInstallScripts?: boolean | undefined;
  readonly npmrc?: string | undefined;
  /** For code for Node: which one runs the programs of its packages. */
  readonly node?: NodeProgram | undefined;
  /** For code in Python: which one. */
  readonly python?: PythonProgram | undefined;
  readonly pipConf?: string | undefined;
}

/** What a source needs besides its files. */
export interface DependencyNeeds {
  /** What is to be installed; `undefined` for nothing. */
  readonly wanted: DependencySource | undefined;
  readonly folder: DependencyFolder;
  /** What becomes its package.json unless it has one, because it says how the code is loaded. */
  readonly packageJson: string | undefined;
}

/**
 * Reads what a source depends on: the text that is given, else package.json with its lock, or for
 * Python requirements.txt.
 *
 * @throws ArtifactError `BrokenManifest`, or `InvalidFileName` when the source has files where
 *   something is to be installed
 */
export function readNeeds(question: DependencyQuestion): DependencyNeeds {
  const needs = question.python === undefined ? nodeNeeds(question) : pythonNeeds(question);
  const { folder } = needs;
  const own = Object.keys(question.files).find((path) => path.split('/')[0] === folder);
  if (own === undefined || needs.wanted === undefined) return needs;
  throw new ArtifactError(
    'InvalidFileName',
    `Cannot use file "${own}": dependencies are installed there, expected no files`,
    { file: own, remedy: `Leave ${folder} out of the source.` },
  );
}

function nodeNeeds(question: DependencyQuestion): DependencyNeeds {
  const { files, dependencies, npmrc, node, allowInstallScripts } = question;
  const { manifest, isPackageJson } =
    dependencies === undefined
      ? parseDependencies(files['package.json'] ?? '', 'package.json')
      : parseDependencies(dependencies, 'dependencies');
  const lock = files['package-lock.json'];
  return {
    wanted: manifest && { manifest, lock, npmrc, node, allowInstallScripts },
    folder: 'node_modules',
    packageJson: isPackageJson ? dependencies : undefined,
  };
}

function pythonNeeds(question: DependencyQuestion): DependencyNeeds {
  const { files, dependencies, python, pipConf, allowInstallScripts } = question;
  const requirements =
    dependencies === undefined
      ? parseRequirements(files['requirements.txt'] ?? '', 'requirements.txt')
      : parseRequirements(dependencies, 'dependencies');
  return {
    wanted: requirements && python && { requirements, python, pipConf, allowInstallScripts },
    folder: 'site-packages',
    packageJson: undefined,
  };
}
