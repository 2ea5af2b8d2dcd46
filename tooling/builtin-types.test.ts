import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readMessages, target, writeTypes } from './builtin-types.ts';

test("the types of Kubernetes' own kinds are those that the facts give", () => {
  const written = writeTypes(readMessages());
  assert.ok(written.has('core-v1') && written.has('apps-v1'));
  for (const [name, text] of written) {
    const file = readFileSync(join(target, `${name}.ts`), 'utf8');
    assert.equal(withoutLayout(file), withoutLayout(text), name);
  }
});

// The formatter moves line ends, imports and the bars of unions.
function withoutLayout(text: string): string {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('import '))
    .join('')
    .replace(/[\s|()]+/g, '');
}
