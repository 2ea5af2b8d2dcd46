import type { FunctionSource } from './source.ts';

/**
 * The source as files, text by path.
 *
 * @param inlineFileName the `fileName` of the runtime, which an inline source is stored as
 */
export function sourceFiles(
  source: FunctionSource,
  inlineFileName: string,
): Readonly<Record<string, string>> {
  return source.files ?? { [inlineFileName]: source.inline ?? '' };
}
