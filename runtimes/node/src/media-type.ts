const shortTypes: Readonly<Record<string, string>> = {
  bin: 'application/octet-stream',
  css: 'text/css',
  csv: 'text/csv',
  form: 'application/x-www-form-urlencoded',
  gif: 'image/gif',
  htm: 'text/html',
  html: 'text/html',
  ico: 'image/x-icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  mjs: 'text/javascript',
  mp4: 'video/mp4',
  multipart: 'multipart/*',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  text: 'text/plain',
  txt: 'text/plain',
  urlencoded: 'application/x-www-form-urlencoded',
  wasm: 'application/wasm',
  webp: 'image/webp',
  xml: 'application/xml',
  yaml: 'text/yaml',
  zip: 'application/zip',
};

/** The media type of a short name such as `json`, `.html` or `+json`; others stay as they are. */
export function mediaTypeOf(name: string): string {
  if (name.startsWith('+')) return `*/*${name}`;
  return name.includes('/') ? name : (shortTypes[name.replace(/^\./, '').toLowerCase()] ?? name);
}

/** A media type with the charset that Express adds where there is none. */
export function withCharset(type: string): string {
  const isText = /^(?:text\/|application\/(?:json|javascript)\b)/i.test(type);
  return isText && !/;\s*charset=/i.test(type) ? `${type}; charset=utf-8` : type;
}

/**
 * Which of these types, which may hold `*`, a Content-Type is: the pattern as it was given, the type
 * itself for a pattern with `*`, false for none. Without patterns, the type.
 */
export function matchMediaType(
  contentType: string | undefined,
  patterns: readonly string[],
): string | false {
  const [type = ''] = (contentType ?? '').toLowerCase().split(';');
  const found = type.trim();
  if (!found.includes('/')) return false;
  if (patterns.length === 0) return found;
  const matching = patterns.find((pattern) => covers(mediaTypeOf(pattern), found));
  if (matching === undefined) return false;
  return matching.includes('*') || /^(?:\+|multipart$)/.test(matching) ? found : matching;
}

function covers(pattern: string, type: string): boolean {
  const [left = '', right = ''] = pattern.toLowerCase().split('/');
  const [kind = '', subtype = ''] = type.split('/');
  if (left !== '*' && left !== kind) return false;
  if (right.startsWith('*+')) return subtype.endsWith(right.slice(1));
  return right === '*' || right === subtype;
}

interface Range {
  readonly pattern: string;
  readonly quality: number;
}

/**
 * What of `offers` a client likes best by its Accept header (RFC 9110, 12.5): the more specific
 * range decides, the higher quality wins, then the earlier offer. Without offers, all that it
 * accepts; false when it accepts none of them.
 */
export function negotiate(
  header: string | undefined,
  offers: readonly string[],
  kind?: 'type',
): string | false | readonly string[] {
  const ranges = readRanges(header ?? (kind === 'type' ? '*/*' : '*'));
  if (offers.length === 0) {
    return ranges.filter(({ quality }) => quality > 0).map(({ pattern }) => pattern);
  }
  const qualityOf = (offer: string): number => {
    const value = (kind === 'type' ? mediaTypeOf(offer) : offer).toLowerCase();
    const matching = ranges.filter(({ pattern }) => accepts(pattern, value));
    return matching.toSorted((a, b) => specificity(b) - specificity(a))[0]?.quality ?? 0;
  };
  const [best] = offers
    .map((offer) => ({ offer, quality: qualityOf(offer) }))
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality);
  return best?.offer ?? false;
}

function readRanges(header: string): readonly Range[] {
  return header
    .split(',')
    .map((part) => {
      const [pattern = '', ...parameters] = part.split(';').map((item) => item.trim());
      const quality = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2) ?? '1';
      return { pattern: pattern.toLowerCase(), quality: Number(quality) || 0 };
    })
    .filter(({ pattern }) => pattern !== '')
    .toSorted((a, b) => b.quality - a.quality);
}

function accepts(pattern: string, value: string): boolean {
  if (pattern === '*' || pattern === value) return true;
  // `en` takes `en-GB` (RFC 4647, 3.4).
  return pattern.includes('/') ? covers(pattern, value) : value.startsWith(`${pattern}-`);
}

function specificity({ pattern }: Range): number {
  return pattern.replace(/\*/g, '').length;
}
