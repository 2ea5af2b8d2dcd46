/**
 * Compiles the pattern of LIKE: `%` stands for any characters, `_` for one, a backslash before
 * them for themselves. Matching takes steps in proportion to both lengths, whatever the pattern:
 * between two `%` no place that fits is better than the first.
 */
export function compileLike(pattern: string): (text: string) => boolean {
  const parts = splitPattern(pattern);
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) {
    const whole = new RegExp(`^${first}$`, 'su');
    return (text) => whole.test(text);
  }
  const start = new RegExp(first, 'suy');
  const middles = rest.filter((part) => part !== '').map((part) => new RegExp(part, 'sug'));
  const end = new RegExp(`${last}$`, 'sug');
  return (text) => {
    let at = endOfMatch(start, text, 0);
    for (const middle of middles) {
      if (at < 0) return false;
      at = endOfMatch(middle, text, at);
    }
    return at >= 0 && endOfMatch(end, text, at) >= 0;
  };
}

function endOfMatch(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** What stands between the `%`, as regular expressions. */
function splitPattern(pattern: string): readonly string[] {
  const parts = [''];
  for (const [token] of pattern.matchAll(/\\[%_]|./gsu)) {
    if (token === '%') parts.push('');
    else parts[parts.length - 1] += token === '_' ? '.' : literal(token);
  }
  return parts;
}

function literal(token: string): string {
  const character = token.length === 2 && token.startsWith('\\') ? token.slice(1) : token;
  return character.replace(/[\^$\\.*+?()[\]{}|/]/, '\\$&');
}
