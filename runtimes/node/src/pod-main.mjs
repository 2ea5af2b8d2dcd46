// The program of an Instance that is a Pod; see main.mjs for why it is plain JavaScript.
const { enableCompileCache } = process.getBuiltinModule('node:module');

const flag = process.argv.indexOf('--cache');
const directory = flag === -1 ? undefined : process.argv[flag + 1];
if (directory !== undefined) enableCompileCache(directory);

const { runInPod } = await import('./pod/pod.ts');
await runInPod(process.argv.slice(2));
