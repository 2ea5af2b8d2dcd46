/** How somebody else may read a path: a proxy before the Gateway, or the function itself. */
export type PathReading =
  /** Nobody reads it as anything else. */
  | { readonly kind: 'plain' }
  /** It has dot segments, or what ends names for C; followed, they lead to `path`. */
  | { readonly kind: 'dots'; readonly path: string }
  /** Some take all that may be a slash for one, and several for a single one. */
  | { readonly kind: 'slashes'; readonly path: string };

const plain: PathReading = { kind: 'plain' };

const mayBeReadOtherwise = /[%\\]|\/[./]/;

// What URL parsers take for one, written out or percent-encoded, and what ends names for C.
const dotSegment = /(?:[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:$|[/\\]|%2f|%5c)|%00/i;

/**
 * How a path may be read otherwise. Who routes by it sees to it that nobody gets around what a
 * route demands by another spelling.
 *
 * @param path without query
 */
export function readPath(path: string): PathReading {
  if (!mayBeReadOtherwise.test(path)) return plain;
  const reading = path.replace(/\\|%2f|%5c/gi, '/').replace(/\/+/g, '/');
  if (dotSegment.test(path)) return { kind: 'dots', path: followDots(reading) };
  return reading === path ? plain : { kind: 'slashes', path: reading };
}

/** As URL parsers do (RFC 3986, 5.2.4). */
function followDots(path: string): string {
  const [named = ''] = path.split('%00', 1);
  const followed: string[] = [];
  for (const segment of named.split('/').slice(1)) {
    const name = segment.replace(/%2e/gi, '.');
    if (name === '..') followed.pop();
    else if (name !== '.') followed.push(segment);
  }
  return `/${followed.join('/')}`;
}
