import { badRequest } from '../answer/status-texts.ts';
import { bodyDepthMax, complaintsMax, pathCharactersMax } from '../limits.ts';
import type { ValueBudget } from './value-budget.ts';

/** What the text of a JSON value holds that its parsed value does not show. */
export interface JsonScan {
  /** Paths of keys that appear again in the same object, such as `spec.min`; the first ones. */
  readonly duplicates: readonly string[];
}

interface Frame {
  /** The keys seen, and whether one was told of; `undefined` in an array. */
  readonly keys: Map<string, boolean> | undefined;
  key: string;
  index: number;
}

/**
 * Looks through JSON text for duplicate keys, which JSON.parse drops silently, and for more than
 * should be parsed. Iterative, so that deep nesting cannot overflow the stack. What is not valid
 * may come through; it is parsed next.
 *
 * @throws StatusError `RequestEntityTooLarge` for more values than the budget has, `BadRequest` for
 *   deeper nesting than `bodyDepthMax`
 */
export function scanJson(text: string, budget: ValueBudget): JsonScan {
  const duplicates: string[] = [];
  const stack: Frame[] = [];
  let expectsKey = false;
  for (let at = 0; at < text.length; at++) {
    const frame = stack.at(-1);
    switch (text.charCodeAt(at)) {
      case 0x7b: // {
      case 0x5b: // [
        budget.spend();
        expectsKey = text[at] === '{';
        stack.push({ keys: expectsKey ? new Map() : undefined, key: '', index: 0 });
        if (stack.length > bodyDepthMax) throw badRequest('exceeded max depth');
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
          if (meetAgain(frame.keys, frame.key) && duplicates.length < complaintsMax) {
            duplicates.push(pathOf(stack));
          }
          expectsKey = false;
        }
        at = end;
        break;
      }
    }
  }
  return { duplicates };
}

/** Whether the key is there for the second time, and for that time only. */
function meetAgain(keys: Map<string, boolean>, key: string): boolean {
  const isTold = keys.get(key);
  keys.set(key, isTold !== undefined);
  return isTold === false;
}

/** The path of the key that was read last, of which so much is shown. */
function pathOf(stack: readonly Frame[]): string {
  let path = '';
  for (const { keys, key, index } of stack) {
    if (keys === undefined) path += `[${index}]`;
    else path += path === '' ? key : `.${key}`;
    if (path.length > pathCharactersMax) return `${path.slice(0, pathCharactersMax)}...`;
  }
  return path;
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
  try {
    const value: unknown = JSON.parse(quoted);
    return typeof value === 'string' ? value : quoted;
  } catch {
    // Whoever parses the whole text says what is wrong with it.
    return quoted;
  }
}
