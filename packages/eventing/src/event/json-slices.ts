/**
 * Where the parts of a JSON text stand, so that data is kept as it was written: numbers of any
 * size, order and spelling survive. The text has been parsed before, so it is known to be JSON.
 */

/** The text of the last member of this name of an object. */
export function sliceMember(text: string, name: string): string | undefined {
  let found: string | undefined;
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (text[at] === '"') {
    const keyEnd = endOfString(text, at);
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = endOfValue(text, start);
    if (JSON.parse(text.slice(at, keyEnd)) === name) found = text.slice(start, end);
    at = skipSpace(text, skipSpace(text, end) + 1);
  }
  return found;
}

/** The texts of the items of an array. */
export function sliceItems(text: string): readonly string[] {
  const items: string[] = [];
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (at < text.length && text[at] !== ']') {
    const end = endOfValue(text, at);
    items.push(text.slice(at, end));
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return items;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (' \t\n\r'.includes(text[at] ?? 'x')) at += 1;
  return at;
}

function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first !== '{' && first !== '[') return endOfScalar(text, start);
  let depth = 0;
  let at = start;
  do {
    const character = text[at];
    if (character === '"') {
      at = endOfString(text, at);
      continue;
    }
    if (character === '{' || character === '[') depth += 1;
    if (character === '}' || character === ']') depth -= 1;
    at += 1;
  } while (depth > 0 && at < text.length);
  return at;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function endOfScalar(text: string, start: number): number {
  let at = start;
  while (at < text.length && !' \t\n\r,]}'.includes(text[at] ?? '')) at += 1;
  return at;
}
