/*
 * Built-in modules of Node, not by `import`: an import statement reads every export of a built-in
 * module, and among those of these four are some that load half of Node behind them (its fetch,
 * REPL and worker threads: 20 ms and 20 MB for each Runner).
 */

export const fs: typeof import('node:fs') = process.getBuiltinModule('node:fs');
export const http: typeof import('node:http') = process.getBuiltinModule('node:http');
export const nodeModule: typeof import('node:module') = process.getBuiltinModule('node:module');
export const util: typeof import('node:util') = process.getBuiltinModule('node:util');
