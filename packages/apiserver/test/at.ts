import assert from 'node:assert/strict';
import { isJsonObject, type JsonObject } from '@fnlet/base';

/** What stands at a JSON pointer (RFC 6901) of an answer; `undefined` where nothing does. */
export function at(value: unknown, pointer: string): unknown {
  const [before, ...tokens] = pointer.split('/');
  assert.equal(before, '', 'a pointer is empty or starts with a slash');
  let found = value;
  for (const token of tokens) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(found)) found = found[Number(key)];
    else found = isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
}

/** The text at a pointer; fails where there is something else. */
export function textAt(value: unknown, pointer: string): string {
  const found = at(value, pointer);
  assert(typeof found === 'string', `${pointer} is no text: ${JSON.stringify(value)}`);
  return found;
}

/** The list at a pointer; fails where there is something else. */
export function listAt(value: unknown, pointer: string): readonly unknown[] {
  const found = at(value, pointer);
  assert(Array.isArray(found), `${pointer} is no list: ${JSON.stringify(value)}`);
  return found;
}

/** The object at a pointer; fails where there is something else. */
export function objectAt(value: unknown, pointer: string): JsonObject {
  const found = at(value, pointer);
  assert(isJsonObject(found), `${pointer} is no object: ${JSON.stringify(value)}`);
  return found;
}
