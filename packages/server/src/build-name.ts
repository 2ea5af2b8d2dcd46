/**
 * The build that runs: a digest of all its code (tooling/bundle.mjs names the directory of a bundle
 * by it). Where the sources run, which may be edited at any time, it has no name.
 */
export const buildName: string | undefined = buildOf(import.meta.url);

/** The name in the URL of a file of a bundle; `undefined` for any other file. */
export function buildOf(url: string): string | undefined {
  return /\/dist\/([0-9a-f]{12})\/src\/[^/]+$/.exec(url)?.[1];
}
