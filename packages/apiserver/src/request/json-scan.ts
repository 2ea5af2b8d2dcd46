import type { ValueBudget } from './value-budget.ts';

/** What the text of a JSON value holds that its parsed value does not show. */
export interface JsonScan {
  /** Paths of keys that appear again in the same object, such as `spec.min`. */
  readonly duplicates: readonly string[];
  /** How deep objects and arrays nest. */
  readonly depth: number;
}

interface Frame {
  /** The keys seen; `undefined` in an array. */
  readonly keys: Set<string> | undefined;
  readonly path: string;
  key: string;
  index: number;
}

/**
 * Looks through valid JSON text for duplicate keys, which JSON.parse drops silently. Iterative, so
 * that deep nesting cannot overflow the stack.
 *
 * @throws StatusError `RequestEntityTooLarge` for more values than the budget has
 */
export function scanJson(text: string, budget: ValueBudget): JsonScan {
  const duplicates: string[] = [];
  const stack: Frame[] = [];
  let depth = 0;
  let expectsKey = false;
  for (let at = 0; at < text.length; at++) {
    const frame = stack.at(-1);
    switch (text.charCodeAt(at)) {
      case 0x7b: // {
      case 0x5b: // [
        budget.spend();
        expectsKey = text[at] === '{';
        stack.push({
          keys: expectsKey ? new Set() : undefined,
          path: pathIn(frame),
          key: '',
          index: 0,
        });
        depth = Math.max(depth, stack.length);
        break;
      case 0x7d: // }
      case 0x5d: // ]
        stack.pop();
        expectsKey = false;
        break;
      case 0x2c: // ,
        budget.spend();
        expectsKey = frame?.keys !== undefined;
        if (frame !== undefined) frame.index++;
        break;
      case 0x22: {
        const end = endOfString(text, at);
        if (expectsKey && frame?.keys !== undefined) {
          frame.key = unquote(text.slice(at, end + 1));
          if (frame.keys.has(frame.key)) duplicates.push(pathIn(frame));
          frame.keys.add(frame.key);
          expectsKey = false;
        }
        at = end;
        break;
      }
    }
  }
  return { duplicates: [...new Set(duplicates)], depth };
}

function pathIn(frame: Frame | undefined): string {
  if (frame === undefined) return '';
  if (frame.keys === undefined) return `${frame.path}[${frame.index}]`;
  return frame.path === '' ? frame.key : `${frame.path}.${frame.key}`;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at++;
    else if (code === 0x22) return at;
  }
  return text.length;
}

function unquote(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  const value: unknown = JSON.parse(quoted);
  return typeof value === 'string' ? value : quoted;
}
