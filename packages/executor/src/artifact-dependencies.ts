import type { Compatibility } from '@fnlet/invocation';
import { ArtifactError } from './artifact-error.ts';
import type { DependencyFolder } from './dependency-folder.ts';
import type { DependencySource } from './dependency-installer.ts';
import { parseDependencies } from './dependency-manifest.ts';
import { importedNodePackages, importedPythonPackages } from './image-packages.ts';
import type { NodeProgram } from './npm-installer.ts';
import type { PythonProgram } from './pip-command.ts';
import { parseRequirements } from './pip-requirements.ts';
import type { SourceFiles } from './source-files.ts';

/** Files that say which dependencies a source has. */
export const manifestFiles: readonly string[] = [
  'package.json',
  'package-lock.json',
  'requirements.txt',
];

/** The part of a source that decides what is installed for it. */
export interface DependencyQuestion {
  /**
   * At least the {@link manifestFiles} of the source with the files that they include, and what
   * imports packages of an image.
   */
  readonly files: SourceFiles;
  /** The system whose images had packages that need not be declared. */
  readonly compatibility?: Compatibility | undefined;
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
  const isPython = question.python !== undefined;
  const folder = isPython ? 'site-packages' : 'node_modules';
  const own = Object.keys(question.files).find((path) => path.split('/')[0] === folder);
  // Who brings packages along has those of the image among them.
  const asked = own === undefined ? question : { ...question, compatibility: undefined };
  const needs = isPython ? pythonNeeds(asked) : nodeNeeds(asked);
  if (own === undefined || needs.wanted === undefined) return { ...needs, folder };
  throw new ArtifactError(
    'InvalidFileName',
    `Cannot use file "${own}": dependencies are installed there, expected no files`,
    { file: own, remedy: `Leave ${folder} out of the source.` },
  );
}

function nodeNeeds(question: DependencyQuestion): Omit<DependencyNeeds, 'folder'> {
  const { files, compatibility, dependencies, npmrc, node, allowInstallScripts } = question;
  const imported = importedNodePackages(files, compatibility);
  const { manifest, isPackageJson, isComplete } =
    dependencies === undefined
      ? parseDependencies(files['package.json'] ?? '', 'package.json', imported)
      : parseDependencies(dependencies, 'dependencies', imported);
  const own = files['package-lock.json'];
  // A lock that does not know what was added still says everything else.
  const lock = isComplete ? { lock: own } : { lockToComplete: own };
  return {
    wanted: manifest && { manifest, ...lock, npmrc, node, allowInstallScripts },
    packageJson: isPackageJson ? dependencies : undefined,
  };
}

function pythonNeeds(question: DependencyQuestion): Omit<DependencyNeeds, 'folder'> {
  const { files, compatibility, dependencies, python, pipConf, allowInstallScripts } = question;
  const imported = importedPythonPackages(files, compatibility);
  const [text = '', file] =
    dependencies === undefined
      ? [files['requirements.txt'], 'requirements.txt']
      : [dependencies, 'dependencies'];
  const requirements = parseRequirements(text, file, { imported, files });
  return {
    wanted: requirements && python && { requirements, python, pipConf, allowInstallScripts },
    packageJson: undefined,
  };
}
