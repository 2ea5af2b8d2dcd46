import type { FunctionSource } from './source.ts';

/**
 * File name of an inline source. One name for every language level: stripping types from plain
 * JavaScript changes nothing, so both run as they are. The few sloppy-mode scripts that are not
 * TypeScript (octal literals such as `010`) say what they are with `files: {handler.js: …}`.
 */
export const inlineFileName = 'handler.ts';

/** The source as files, text by path. */
export function sourceFiles(source: FunctionSource): Readonly<Record<string, string>> {
  return source.files ?? { [inlineFileName]: source.inline ?? '' };
}
