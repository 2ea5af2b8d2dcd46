// Plain JavaScript, as its user is: what a start loads of a bundle (tooling/start-scripts.mjs).
// Asks for modules of Node instead of importing them, as a bundle does: see builtin-imports.mjs there.
const { existsSync, readFileSync, renameSync, writeFileSync } = process.getBuiltinModule('node:fs');
const nodeModule = process.getBuiltinModule('node:module');
const { dirname, join } = process.getBuiltinModule('node:path');
const { fileURLToPath } = process.getBuiltinModule('node:url');

/**
 * How many starts write down what they have compiled: the first one makes what later ones only find,
 * the second one knows what these do.
 */
const writingStarts = 2;
/** Before the code: its checksum, and how many starts it has seen. */
const headBytes = 5;

/** What the scripts export, by the URLs of the modules that stand for them. */
const loaded = new Map();
/** Those whose compiled code is not yet written down. */
const unwritten = new Map();

/** How modules beside this file import others: for what is installed with the program. */
const ownCaller = { load: (name) => import(name), resolve: import.meta.resolve };

/**
 * What a file of a bundle exports that is a script. It runs when the first one asks, and V8 gets
 * back what earlier starts have compiled. Node's own cache holds a module as it was before its first
 * line ran, without the functions that it calls: a start compiled a thousand of them each time.
 *
 * @param {string} url of the file that stands for the script among modules, such as `up.js`
 * @param {{ load(name: string): Promise<unknown>, resolve(name: string): string }} caller a module
 *   that finds packages where the script shall
 * @returns {Record<string, unknown>}
 */
export function exportsOf(url, caller = ownCaller) {
  return once(url, () => compile(url)(importOf(url, caller)));
}

/**
 * What a package exports that is a script, too: one file instead of the dozen that it is installed
 * as, and of the same version.
 *
 * @param {string} name
 * @param {string} url of who asks
 * @returns {unknown} undefined when there is none of this version: then it has to be required
 */
function packageOf(name, url) {
  const manifest = nodeModule.findPackageJSON(name, url);
  if (manifest === undefined) return undefined;
  const { version, main } = JSON.parse(readFileSync(manifest, 'utf8'));
  const script = new URL(`${name}@${version}.js`, url).href;
  if (!existsSync(scriptPath(script))) return undefined;
  return once(script, () => {
    const path = join(dirname(manifest), main);
    const module = { exports: {} };
    compile(script)(nodeModule.createRequire(path), path, module, module.exports);
    return module.exports;
  });
}

function once(url, load) {
  if (!loaded.has(url)) loaded.set(url, load());
  return loaded.get(url);
}

/** What `import` is to a script: a function for what comes late, and `of` for what it needs first. */
function importOf(url, caller) {
  const locate = (specifier) => new URL(specifier, url).href;
  const load = async (specifier) => {
    if (!specifier.startsWith('./')) return caller.load(specifier);
    const target = locate(specifier);
    return existsSync(scriptPath(target)) ? exportsOf(target, caller) : caller.load(target);
  };
  const filename = fileURLToPath(url);
  const own = { keepCompiledCode, packageOf: (name) => packageOf(name, url) };
  return Object.assign(load, {
    of: (specifier) => exportsOf(locate(specifier), caller),
    meta: { url, filename, dirname: dirname(filename), resolve: caller.resolve, ...own },
  });
}

/** The function that a script is. */
function compile(url) {
  const written = readCode(url);
  const text = readFileSync(scriptPath(url), 'utf8');
  const { Script } = process.getBuiltinModule('node:vm');
  const script = new Script(text, { filename: url, cachedData: written?.code });
  const starts = script.cachedDataRejected === false ? written.starts : 0;
  if (starts < writingStarts) unwritten.set(url, { script, starts });
  return script.runInThisContext();
}

/**
 * Writes down what V8 has compiled until now, for the next starts of the same command. Who runs for
 * long calls it when the start is over, and before flags of V8 change: code that was compiled under
 * others is refused. For the rest their end will do.
 */
function keepCompiledCode() {
  for (const [url, { script, starts }] of unwritten) {
    const path = codePath(url);
    if (path === undefined) continue;
    writeCode(path, { code: script.createCachedData(), starts: starts + 1 });
  }
  unwritten.clear();
}

process.once('exit', (code) => {
  if (code === 0) keepCompiledCode();
});

function scriptPath(url) {
  return fileURLToPath(url).replace(/\.m?js$/, '.script.js');
}

/**
 * Beside what Node keeps of modules, in one directory for each version of V8 and its flags. A build
 * never changes; and each command has use for other functions of the files that all of them share.
 */
function codePath(url) {
  const directory = nodeModule.getCompileCacheDir();
  const command = /^[a-z]+$/.exec(process.argv[2] ?? '')?.[0] ?? 'fnlet';
  const [, build, name] = /([^/]+)\/src\/([^/]+)\.m?js$/.exec(url) ?? [];
  return directory && build && join(directory, `${build}-${command}-${name}`);
}

function readCode(url) {
  try {
    const bytes = readFileSync(codePath(url));
    const code = bytes.subarray(headBytes);
    // V8 does not look whether every byte is one that it wrote.
    if (bytes.readUInt32LE(0) !== checksum(code)) return undefined;
    return { code, starts: bytes.readUInt8(4) };
  } catch {
    // Nobody wrote it yet, or nothing is to be kept.
    return undefined;
  }
}

function writeCode(path, { code, starts }) {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32LE(checksum(code));
  head.writeUInt8(starts, 4);
  const making = `${path}.${process.pid}`;
  try {
    writeFileSync(making, Buffer.concat([head, code]), { mode: 0o600 });
    renameSync(making, path);
  } catch {
    // Where nothing can be written, the next start compiles as this one did.
  }
}

function checksum(bytes) {
  return process.getBuiltinModule('node:zlib').crc32(bytes);
}
