import { ArtifactError } from './artifact-error.ts';

/** What a function needs from Python's package index. */
export interface Requirements {
  /** The text without comments and empty lines, its lines joined where they were continued. */
  readonly text: string;
  /** Whether every line names the hashes of what may be installed: then it is a lock already. */
  readonly isLocked: boolean;
}

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
 * @param file What the text is called in messages.
 * @param imported Requirements that are added, unless the text has some of that name, or is a lock.
 * @returns `undefined` when nothing is to be installed
 * @throws ArtifactError `BrokenManifest` with the line of what cannot be installed
 */
export function parseRequirements(
  text: string,
  file: string,
  imported: readonly string[] = [],
): Requirements | undefined {
  const lines: string[] = [];
  for (const { content, line } of logicalLines(text)) {
    if (content.startsWith('-') && !allowedOptions.test(content)) {
      throw broken(file, line, `the option ${JSON.stringify(content)}`);
    }
    if (notFetched.test(content)) throw broken(file, line, JSON.stringify(content));
    lines.push(content);
  }
  const own = lines.filter((content) => !content.startsWith('-'));
  const isLocked = own.length > 0 && own.every((content) => content.includes('--hash='));
  const names = new Set(own.map(nameOf));
  const added = isLocked ? [] : imported.filter((content) => !names.has(nameOf(content)));
  if (own.length + added.length === 0) return undefined;
  return { text: `${[...lines, ...added].join('\n')}\n`, isLocked };
}

// As an index compares names (PEP 503).
function nameOf(content: string): string {
  const [name = ''] = /^[\w.-]+/.exec(content) ?? [];
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}

function* logicalLines(
  text: string,
): Generator<{ readonly content: string; readonly line: number }> {
  let continued = '';
  let first = 0;
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    if (continued === '') first = index + 1;
    // A `#` within a URL is no comment.
    const plain = raw.replace(/(^|\s)#.*$/, '');
    if (plain.trimEnd().endsWith('\\')) {
      continued += `${plain.trimEnd().slice(0, -1).trim()} `;
      continue;
    }
    const content = `${continued}${plain.trim()}`.trim();
    continued = '';
    if (content !== '') yield { content, line: first };
  }
  if (continued.trim() !== '') yield { content: continued.trim(), line: first };
}

function broken(file: string, line: number, found: string): ArtifactError {
  const message =
    `Cannot read ${file}:${line}: found ${found}, expected packages of an index, with versions, ` +
    'and options of where to find them';
  const remedy = 'Name packages of a package index; put files of your own into the source.';
  return new ArtifactError('BrokenManifest', message, { file, line, remedy });
}
