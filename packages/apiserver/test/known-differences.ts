import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const path = join(import.meta.dirname, '../../../docs/kubernetes-compatibility.md');

const page = readFileSync(path, 'utf8');

/**
 * What this server knowingly answers differently, by the id of the recorded case, and why. The page
 * that tells users is the only list: under the heading of the file, one item for each reason, which
 * ends with a colon and the ids.
 */
export function knownDifferences(file: string): ReadonlyMap<string, string> {
  const [, below = ''] = page.split(`\n### \`${file}\`\n`);
  const [section = ''] = below.split(/\n#{1,3} /);
  const items = section.replaceAll(/\n {2}/g, ' ').matchAll(/^- (.+?):((?: `[^`]+`,?)+)$/gm);
  return new Map(
    [...items].flatMap(([, reason = '', ids = '']) =>
      [...ids.matchAll(/`([^`]+)`/g)].map(([, id = '']) => [id, reason] as const),
    ),
  );
}

/** How many cases of a file there are, how many are the same, and how many not, as users read it. */
export function documentedCounts(file: string): readonly number[] {
  const row = page.split('\n').find((line) => line.startsWith(`| \`${file}\``)) ?? '';
  return row.split('|').slice(2, 5).map(Number);
}
