import type { HttpPath } from '@fnlet/api';

/**
 * The path of a rule, as a Trigger has it; `undefined` where it has none. In v2 `{*}` is a segment
 * and `{**}` at the end all that is left; v1beta1 has regular expressions, of which the usual ones
 * are paths: `/.*`, `/a`, `/a/.*`.
 */
export function planApiPath(path: string, isOld: boolean): HttpPath | undefined {
  const written = isOld ? fromExpression(path) : path;
  if (written === undefined || !written.startsWith('/')) return undefined;
  if (written === '/*' || written === '/{**}') return { prefix: '/' };
  const segments = written.slice(1).split('/');
  if (segments.every((segment) => !/[{}*]/.test(segment))) return { exact: written };
  const named = segments.map((segment, index) => {
    if (segment === '{*}') return `{p${index + 1}}`;
    if (segment === '{**}') return index === segments.length - 1 ? '{rest...}' : undefined;
    return /[{}*]/.test(segment) ? undefined : segment;
  });
  return named.includes(undefined) ? undefined : { pattern: `/${named.join('/')}` };
}

function fromExpression(path: string): string | undefined {
  if (path === '/*' || path === '/.*' || path === '.*') return '/*';
  const head = path.endsWith('/.*') ? path.slice(0, -3) : path;
  if (/[.*()?!\\]/.test(head)) return undefined;
  return head === path ? path : `${head}/{**}`;
}
