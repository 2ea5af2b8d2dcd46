/**
 * Reads modules of Node without the view that `import` makes of them: for one of `node:util` Node
 * loads all that any of its getters names, worker threads and a parser of arguments among it, and a
 * start is a few hundredths slower. What nobody uses is left out as before.
 *
 * Changes no line's number, so that stacks name the lines of the sources.
 */
import { readFileSync } from 'node:fs';

// As formatters write them: at the beginning of a line, types marked as such.
const statement = /^import (?!type )([^;']*?) from '(node:[a-z_/0-9]+)';/gm;

/** A plugin of esbuild. */
export const builtinImports = {
  name: 'builtin-imports',
  setup({ onLoad }) {
    onLoad({ filter: /\.[jt]s$/ }, ({ path }) => {
      const contents = withoutImports(readFileSync(path, 'utf8'));
      return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' };
    });
  },
};

/** The same source, which asks Node for its modules instead of importing them. */
export function withoutImports(text) {
  let count = 0;
  return text.replaceAll(statement, (found, clause, name) => {
    const members = membersOf(clause);
    if (members.length === 0) return found;
    const module = `builtin${count++}`;
    const ask = `/* @__PURE__ */ globalThis.process.getBuiltinModule('${name}')`;
    const reads = members.map(({ local, member }) => {
      const value = member === undefined ? module : `${module}.${member}`;
      return `${local} = /* @__PURE__ */ (() => ${value})()`;
    });
    const lines = '\n'.repeat(found.split('\n').length - 1);
    return `const ${[`${module} = ${ask}`, ...reads].join(', ')};${lines}`;
  });
}

/** The names that an import clause makes, each with the member that it means, or the module. */
function membersOf(clause) {
  const [, whole, , names = ''] =
    /^(?:(?:\* as )?(\w+))?(, )?(?:\{([^}]*)\})?$/s.exec(clause) ?? [];
  const members = names
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '' && !text.startsWith('type '))
    .map((text) => {
      const [member, local = member] = text.split(' as ');
      return { local, member };
    });
  return whole === undefined ? members : [{ local: whole, member: undefined }, ...members];
}
