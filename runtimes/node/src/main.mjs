// The program of an Instance. Plain JavaScript and first in line: the compile cache has to be on
// before the first TypeScript module is read. With a warm cache neither the Runner nor the code of
// a Function is stripped or compiled again; the stripper alone costs 60 ms and 19 MB.
const { enableCompileCache } = process.getBuiltinModule('node:module');

const flag = process.argv.indexOf('--cache');
const directory = flag === -1 ? undefined : process.argv[flag + 1];
if (directory !== undefined) enableCompileCache(directory);

const { run } = await import('./runner.ts');
await run(process.argv.slice(2));
