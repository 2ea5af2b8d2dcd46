/** What must hold for the documents of the house: decisions are counted, and links lead somewhere. */
import { basename, dirname, join, normalize } from 'node:path';
import type { SourceFile, Violation } from './source-file.ts';

const recordName = /^decisions\/(\d{3})-[a-z0-9-]+\.md$/;

/**
 * All violations among the documents.
 *
 * @param paths every file of the repository, which links may lead to
 */
export function checkDocuments(
  documents: readonly SourceFile[],
  paths: ReadonlySet<string>,
): Violation[] {
  return [...checkRecords(documents), ...documents.flatMap((file) => checkLinks(file, paths))];
}

/** Records of decisions are numbered 001, 002, …; each once, and each says its number first. */
function checkRecords(documents: readonly SourceFile[]): Violation[] {
  const records = documents.filter(({ path }) => recordName.test(path));
  return records
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .flatMap(({ path, text }, index) => {
      const number = recordName.exec(path)?.[1] ?? '';
      const expected = String(index + 1).padStart(3, '0');
      const messages = [];
      if (number !== expected) messages.push(`is numbered ${number}, expected ${expected}`);
      if (!text.startsWith(`# ${number} `)) messages.push(`expected the title "# ${number} …"`);
      return messages.map((message) => ({
        path,
        line: 1,
        message: `${basename(path)} ${message}`,
      }));
    });
}

const link = /\]\(([^)\s]+)\)/g;

function checkLinks({ path, text }: SourceFile, paths: ReadonlySet<string>): Violation[] {
  return text.split('\n').flatMap((lineText, index) =>
    [...lineText.matchAll(link)]
      .map(([, target = '']) => target.replace(/#.*$/, ''))
      .filter((target) => target !== '' && !/^\w+:/.test(target))
      .filter((target) => !leadsSomewhere(normalize(join(dirname(path), target)), paths))
      .map((target) => ({ path, line: index + 1, message: `the link to "${target}" is broken` })),
  );
}

function leadsSomewhere(target: string, paths: ReadonlySet<string>): boolean {
  const folder = `${target.replace(/\/$/, '')}/`;
  return paths.has(target) || paths.values().some((path) => path.startsWith(folder));
}
