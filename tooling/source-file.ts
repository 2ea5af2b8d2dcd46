import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** A source file as the rules see it: where it is and what it says. */
export interface SourceFile {
  /** Path from the root of the repository, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** One broken rule. */
export interface Violation {
  readonly path: string;
  /** 1-based; 0 when the rule is about the whole file. */
  readonly line: number;
  readonly message: string;
}

/** One import or re-export of a file, types included. */
export interface ImportEdge {
  readonly specifier: string;
  readonly line: number;
  /** Whether nothing of it is left at run time. */
  readonly typeOnly: boolean;
}

export const repositoryRoot: string = dirname(import.meta.dirname);

/** The files that match, of those that git tracks or would track; by default, all of TypeScript. */
export function readSourceFiles(patterns: readonly string[] = ['*.ts', '*.mts']): SourceFile[] {
  return listFiles(patterns).map((path) => ({
    path,
    text: readFileSync(join(repositoryRoot, path), 'utf8'),
  }));
}

/** The files that git tracks, and the new ones that it does not ignore. */
export function listFiles(patterns: readonly string[]): string[] {
  const git = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns];
  const listed = execFileSync('git', git, { cwd: repositoryRoot, encoding: 'utf8' });
  return [...new Set(listed.split('\n'))]
    .filter((path) => path !== '' && !path.includes('testdata/'))
    .filter((path) => existsSync(join(repositoryRoot, path)))
    .sort();
}

const importPattern =
  /(?:^|\n)\s*(?:import|export)\b[^'";]*?from\s*'([^']+)'|(?:^|\n)\s*import\s*'([^']+)'|\bimport\(\s*'([^']+)'/g;

/** What a file imports, in the order of appearance. */
export function importsOf(file: SourceFile): ImportEdge[] {
  const edges: ImportEdge[] = [];
  for (const match of file.text.matchAll(importPattern)) {
    const specifier = match[1] ?? match[2] ?? match[3];
    if (specifier === undefined) continue;
    const end = match.index + match[0].length;
    const typeOnly = /^\s*(import|export) type\b/.test(match[0]);
    edges.push({ specifier, line: file.text.slice(0, end).split('\n').length, typeOnly });
  }
  return edges;
}

/** The path that a relative import of `from` names. */
export function resolveRelative(from: string, specifier: string): string {
  return normalize(join(dirname(from), specifier));
}

/** Whether a file is not shipped: tests, what they share, and benchmarks. */
export function isTest(path: string): boolean {
  return path.endsWith('.test.ts') || /(^|\/)(test|bench)\//.test(path);
}

/** Prints the violations, one a line, as editors and CI understand them. */
export function reportViolations(rule: string, violations: readonly Violation[]): boolean {
  for (const { path, line, message } of violations) {
    process.stderr.write(`${path}:${line}: ${rule}: ${message}\n`);
  }
  return violations.length === 0;
}
