import { posix } from 'node:path';
import { ArtifactError } from './artifact-error.ts';
import { limits } from './limits.ts';
import type { SourceFiles } from './source-files.ts';

/** One line of a requirements.txt, joined where it went on, without its comment. */
export interface RequirementLine {
  readonly content: string;
  readonly file: string;
  /** Where it begins, from 1. */
  readonly line: number;
}

/** What a requirements.txt says, together with the files that it includes. */
export interface RequirementLines {
  readonly required: readonly RequirementLine[];
  /** Lines that only bound versions (`-c`). */
  readonly constraints: readonly RequirementLine[];
}

/** Where a requirements.txt begins: its text, by the name that messages have for it. */
export interface RequirementText {
  readonly text: string;
  readonly file: string;
}

interface Include {
  readonly path: string;
  readonly isConstraint: boolean;
}

/**
 * The lines of a requirements.txt, those of the files that it names with `-r` and `-c` in the place
 * of these options; paths are relative to the file that has them, as with pip.
 *
 * @param files the source, by path
 * @throws ArtifactError `BrokenManifest` for a file that the source does not have
 */
export function readRequirementLines(start: RequirementText, files: SourceFiles): RequirementLines {
  const required: RequirementLine[] = [];
  const constraints: RequirementLine[] = [];
  const seen = new Set<string>();
  const read = ({ text, file }: RequirementText, isConstraint: boolean): void => {
    for (const each of logicalLines(text, file)) {
      const include = readInclude(each);
      if (include === undefined) {
        (isConstraint ? constraints : required).push(each);
        continue;
      }
      const found = files[include.path];
      if (found === undefined || seen.size >= limits.requirementFilesMax) throw notIncluded(each);
      const asConstraint = isConstraint || include.isConstraint;
      const key = `${asConstraint} ${include.path}`;
      if (seen.has(key)) continue;
      seen.add(key);
      read({ text: found, file: include.path }, asConstraint);
    }
  };
  read(start, false);
  return { required, constraints };
}

/** The paths of the files that a text includes itself. */
export function includedPaths({ text, file }: RequirementText): readonly string[] {
  return [...logicalLines(text, file)].flatMap((each) => readInclude(each)?.path ?? []);
}

/** What a line includes; a path that leads out of the source is none that a source has. */
function readInclude({ content, file }: RequirementLine): Include | undefined {
  const [, long, short, path = ''] =
    /^(?:--(requirement|constraint)(?:\s+|\s*=\s*)|-([rc])\s*)(\S.*)$/.exec(content) ?? [];
  if (long === undefined && short === undefined) return undefined;
  const isConstraint = long === 'constraint' || short === 'c';
  const named = path.replace(/^(["'])(.*)\1$/, '$2');
  return { path: posix.join(posix.dirname(file), named), isConstraint };
}

function* logicalLines(text: string, file: string): Generator<RequirementLine> {
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
    if (content !== '') yield { content, file, line: first };
  }
  if (continued.trim() !== '') yield { content: continued.trim(), file, line: first };
}

function notIncluded({ content, file, line }: RequirementLine): ArtifactError {
  const found = `the option ${JSON.stringify(content)}`;
  const expected = `expected a file of the source, one of at most ${limits.requirementFilesMax}`;
  const message = `Cannot read ${file}:${line}: found ${found}, ${expected}`;
  const remedy = 'Put the file into the source; its path begins where the file that names it is.';
  return new ArtifactError('BrokenManifest', message, { file, line, remedy });
}
