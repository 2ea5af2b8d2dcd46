/**
 * Makes scripts of the files of a bundle that a start loads. Node caches a module as it was compiled
 * before its first line ran: without the functions that the line calls. Of a script V8 can be asked
 * when the start is over, and what it has compiled by then is what the next start needs
 * (packages/cli/bin/start-scripts.js).
 *
 * I1. Each file stands for its script under its old name: who is loaded late imports it as before.
 * I2. Lines stay where they were, so that the maps of the modules tell the lines of the scripts.
 */
import { Script } from 'node:vm';

/** What stands for `import`, in as many letters: maps tell columns, too. */
const standIn = '$mport';
const loader = '../../../bin/start-scripts.js';
/** Names of packages mean what they mean to a module that lies beside the script. */
const caller = '{load:(name)=>import(name),resolve:import.meta.resolve}';

/**
 * @param {string} name of the file without its ending
 * @param {string} text of the module, as esbuild writes it
 * @param {number} lateImports how many `import()` of a name that is known are in it
 * @returns {{ script: string, module: string }} the script, and what stands for it among modules
 * @throws Error when it is something that no script can be
 */
export function toScript({ name, text, lateImports }) {
  if (text.includes(standIn)) throw new Error(`${name}: "${standIn}" has a meaning already`);
  // Others see what a name means at the end of the script: it has to mean the same ever after. Ours
  // do (no source says `export let`), those of a module that runs when it is first asked for do not.
  if (/\b__esm\w*\(\{/.test(text)) throw new Error(`${name}: holds a module that runs late`);
  let names = [];
  const body = text
    .replace(/^\/\/# sourceMappingURL=.*$/m, '')
    .replace(/(?<=^|[;}\n])import\s*\{([^}]*)\}\s*from\s*"(\.\/[\w-]+\.m?js)";/g, readExports)
    .replace(/(?<=^|[;}\n])export\s*\{([^}]*)\};?\s*$/, (_, list) => {
      names = list.split(',').map((item) => item.trim().split(/\s+as\s+/));
      return `return{${names.map(([inner, outer = inner]) => `${outer}:${inner}`).join(',')}}`;
    });
  const late = /(?<![\w$.])import(?=\()/g;
  const found = body.match(/(?<![\w$.])import\("/g)?.length ?? 0;
  if (found !== lateImports) {
    throw new Error(`${name}: found ${found} import(), expected ${lateImports}: one is in a text`);
  }
  const calls = body.replace(late, standIn).replace(/(?<![\w$.])import(?=\.meta\b)/g, standIn);
  const script = `(function(${standIn}){"use strict";${calls}\n})`;
  // Says so now if anything is left that only a module may contain.
  new Script(script, { filename: `${name}.js` });
  const outer = names.map(([inner, other = inner]) => other).join(',');
  const own = `import{exportsOf}from"${loader}";`;
  const call = `exportsOf(import.meta.url,${caller})`;
  return { script, module: `${own}export const{${outer}}=${call};\n` };
}

/**
 * A module that loads a script, late and alone, without what stands for that among modules.
 *
 * @param {string} text of the module, as esbuild writes it
 * @param {string} file of the script among modules, such as `runner.mjs`
 */
export function loadingScript(text, file) {
  const late = `await import("./${file}")`;
  if (!text.includes(late)) throw new Error(`expected ${late} in: ${text}`);
  const url = `new URL("./${file}",import.meta.url).href`;
  return `import{exportsOf}from"${loader}";${text.replace(late, `exportsOf(${url},${caller})`)}`;
}

/** @param {string} text of a file of CommonJS; it becomes a function, as Node makes it one. */
export function toPackageScript(text) {
  return `(function(require,__filename,module,exports){${text}\n})`;
}

/** The names of an import as constants; line by line, as the statement was. */
function readExports(_, names, specifier) {
  return `const{${names.replace(/\s+as\s+/g, ':')}}=${standIn}.of("${specifier}");`;
}
