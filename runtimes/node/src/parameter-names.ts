const comments = /\/\*[\s\S]*?\*\/|\/\/.*/g;
const head =
  /^(?:async\b\s*)?(?:function\b\s*)?\*?\s*[\w$]*\s*\(([^)]*)\)|^(?:async\s+)?([\w$]+)\s*=>/;

/**
 * The names of a function's parameters, as far as they are plain: of `(event, { a }, ...rest)` it is
 * `event` and nothing else.
 */
export function parameterNames(handler: (...input: never) => unknown): readonly string[] {
  const text = Function.prototype.toString.call(handler).replace(comments, '').trim();
  const [, list, single] = head.exec(text) ?? [];
  const names: string[] = [];
  for (const part of (list ?? single ?? '').split(',')) {
    const name = /^\s*([A-Za-z_$][\w$]*)\s*(?:=|$)/.exec(part)?.[1];
    if (name === undefined) break;
    names.push(name);
  }
  return names;
}
