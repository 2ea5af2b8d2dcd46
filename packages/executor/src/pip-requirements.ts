import { ArtifactError } from './artifact-error.ts';
import { type RequirementLine, readRequirementLines } from './requirement-lines.ts';
import type { SourceFiles } from './source-files.ts';

/** What a function needs from Python's package index. */
export interface Requirements {
  /** The text without comments and empty lines, its lines joined where they were continued. */
  readonly text: string;
  /** Whether every line names the hashes of what may be installed: then it is a lock already. */
  readonly isLocked: boolean;
  /**
   * Text of the file that `-c constraints.txt` in the text means; absent when nothing bounds
   * versions besides.
   */
  readonly constraints?: string;
}

/** What is beside a requirements.txt. */
export interface RequirementsContext {
  /** Requirements that are added, unless the text has some of that name, or is a lock. */
  readonly imported?: readonly string[];
  /** The source, whose files the text may include. */
  readonly files?: SourceFiles;
}

export const constraintsFile = 'constraints.txt';

// Options that say where packages are looked for and which may be taken. Others name files that are
// not there, or that would be run.
const allowedOptions =
  /^(-i|--(index-url|extra-index-url|no-index|find-links|pre|prefer-binary|only-binary|no-binary|trusted-host|require-hashes))\b/;

// `./package`, `../x.whl`, `file:x`, and what is built from a repository.
const notFetched =
  /^(\.|\/|file:|-e\b|--editable\b)|@\s*file:|^(git|hg|svn|bzr)\+|@\s*(git|hg|svn|bzr)\+/;

/**
 * Reads a requirements.txt.
 *
 * @param file What the text is called in messages; files that it includes are beside it.
 * @returns `undefined` when nothing is to be installed
 * @throws ArtifactError `BrokenManifest` with the line of what cannot be installed
 */
export function parseRequirements(
  text: string,
  file: string,
  { imported = [], files = {} }: RequirementsContext = {},
): Requirements | undefined {
  const { required, constraints } = readRequirementLines({ text, file }, files);
  for (const each of required) refuseOthers(each);
  for (const each of constraints) {
    refuseOthers(each);
    if (each.content.startsWith('-')) throw broken(each, 'the option ');
  }
  const lines = required.map(({ content }) => content);
  const own = lines.filter((content) => !content.startsWith('-'));
  const isLocked = own.length > 0 && own.every((content) => content.includes('--hash='));
  const names = new Set(own.map(nameOf));
  const added = isLocked ? [] : imported.filter((content) => !names.has(nameOf(content)));
  if (own.length + added.length === 0) return undefined;
  // A lock says itself what is installed.
  if (isLocked || constraints.length === 0) return { text: join([...lines, ...added]), isLocked };
  return {
    text: join([`-c ${constraintsFile}`, ...lines, ...added]),
    isLocked,
    constraints: join(constraints.map(({ content }) => content)),
  };
}

function refuseOthers(each: RequirementLine): void {
  const { content } = each;
  if (content.startsWith('-') && !allowedOptions.test(content)) throw broken(each, 'the option ');
  if (notFetched.test(content)) throw broken(each, '');
}

function join(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}

// As an index compares names (PEP 503).
function nameOf(content: string): string {
  const [name = ''] = /^[\w.-]+/.exec(content) ?? [];
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}

function broken({ content, file, line }: RequirementLine, what: string): ArtifactError {
  const message =
    `Cannot read ${file}:${line}: found ${what}${JSON.stringify(content)}, expected packages of ` +
    'an index, with versions, and options of where to find them';
  const remedy = 'Name packages of a package index; put files of your own into the source.';
  return new ArtifactError('BrokenManifest', message, { file, line, remedy });
}
