/** A runtime by the names that Functions give it, with what its sources look like. */
export interface KnownRuntime {
  /** As `spec.runtime` has it, such as `nodejs24`. */
  readonly name: string;
  /** Other spellings that mean the same. */
  readonly aliases: readonly string[];
  /** File name of an inline source; error messages name this file. */
  readonly fileName: string;
  /** Endings of its source files, such as `.py`. */
  readonly extensions: readonly string[];
}

/**
 * File name of an inline source for Node. One name for every language level: stripping types from
 * plain JavaScript changes nothing, so both run as they are. The few sloppy-mode scripts that are
 * not TypeScript (octal literals such as `010`) say what they are with `files: {handler.js: …}`.
 */
const nodeFileName = 'handler.ts';

/** The runtimes that come with Fnlet. Kyma and Kubeless write Python's without the dot, or with. */
export const builtinRuntimes: readonly KnownRuntime[] = [
  ...['nodejs22', 'nodejs24', 'nodejs26'].map((name) => ({
    name,
    aliases: [],
    fileName: nodeFileName,
    extensions: ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs'],
  })),
  ...['python3.11', 'python3.12', 'python3.13', 'python3.14'].map((name) => ({
    name,
    aliases: [name.replace('.', '')],
    fileName: 'handler.py',
    extensions: ['.py'],
  })),
];

/** The builtin runtime with exactly this name. */
export function findBuiltinRuntime(name: string): KnownRuntime | undefined {
  return builtinRuntimes.find((runtime) => runtime.name === name);
}
