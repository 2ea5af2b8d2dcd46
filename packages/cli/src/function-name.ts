/**
 * A Function name made of any text (a directory's name): lower-case letters, digits and dashes,
 * starting with a letter; `function` when nothing is left.
 */
export function functionNameFor(text: string): string {
  const name = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 52)
    .replace(/-+$/, '');
  return name === '' ? 'function' : name;
}
