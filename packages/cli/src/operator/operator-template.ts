import type { Template } from '../template.ts';

const operator = `import { ConfigMap, defineKind, field, operator, ready, run } from 'fnlet/operator';

/** The kind, defined once: its type, defaults, validation and manifest follow from this. */
export const KIND = defineKind({
  group: 'example.dev',
  version: 'v1',
  kind: 'KIND',
  description: 'A KIND keeps a greeting in a ConfigMap.',
  spec: {
    name: field.text('Who is greeted.', { minLength: 1 }),
    greeting: field.text('How.', { default: 'Hello' }),
  },
  status: { text: field.text('The greeting as it reads now.') },
  columns: { Text: '.status.text' },
});

/** What is wanted for every KIND. It has no side effects: it is run as often as need be. */
const greetings = operator(KIND, {
  owns: [ConfigMap],
  reconcile({ object }) {
    const text = \`\${object.spec.greeting}, \${object.spec.name}!\`;
    return {
      children: [ConfigMap.of({ metadata: { name: object.metadata.name }, data: { text } })],
      status: { text },
      conditions: [ready()],
    };
  },
});
export default greetings;

// As a program it runs itself, against the cluster that kubectl speaks to: node operator.ts
if (import.meta.main) await run(greetings);
`;

const test = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap } from 'fnlet/operator';
import { testOperator } from 'fnlet/testing';
import operator, { KIND } from './operator.ts';

test('a KIND keeps its greeting in a ConfigMap', async () => {
  await using t = await testOperator(operator);
  await t.create(KIND, { metadata: { name: 'ada' }, spec: { name: 'Ada' } });
  await t.settle();
  assert.equal((await t.get(ConfigMap, 'ada'))?.data?.text, 'Hello, Ada!');
  assert.equal((await t.get(KIND, 'ada'))?.status?.text, 'Hello, Ada!');
});

test('what somebody else changes is put right, and nothing is written that is right', async () => {
  await using t = await testOperator(operator);
  await t.create(KIND, { metadata: { name: 'ada' }, spec: { name: 'Ada' } });
  await t.settle();
  t.clearWrites();
  await t.patch(ConfigMap, 'ada', { data: { text: 'Go away!' } });
  await t.settle();
  assert.equal((await t.get(ConfigMap, 'ada'))?.data?.text, 'Hello, Ada!');
  assert.equal(t.writes.length, 1);
});
`;

const sample = `apiVersion: example.dev/v1
kind: KIND
metadata:
  name: ada
spec:
  name: Ada
`;

const manifest = `{
  "private": true,
  "type": "module",
  "engines": { "node": ">=24.12" },
  "scripts": {
    "start": "node operator.ts",
    "test": "node --test \\"**/*.test.ts\\"",
    "types": "tsc"
  },
  "dependencies": {
    "fnlet": "^VERSION"
  },
  "devDependencies": {
    "@types/node": "^24.10.0",
    "typescript": "^7.0.2"
  }
}
`;

// Node runs TypeScript by leaving the types out; these options keep to what it can leave out.
const compiler = `{
  "compilerOptions": {
    "target": "es2024",
    "lib": ["esnext"],
    "module": "nodenext",
    "types": ["node"],
    "strict": true,
    "exactOptionalPropertyTypes": true,
    "noEmit": true,
    "allowImportingTsExtensions": true,
    "erasableSyntaxOnly": true,
    "verbatimModuleSyntax": true,
    "skipLibCheck": true
  }
}
`;

/** What `fnlet operator init` writes: a kind, its operator, a test that passes, and a sample. */
export const operatorTemplate: Template = {
  description: 'an operator in TypeScript, with its test',
  files: {
    'operator.ts': operator,
    'operator.test.ts': test,
    'sample.yaml': sample,
    'package.json': manifest,
    'tsconfig.json': compiler,
  },
};

/** A name for the kind from that of a directory: `greeting-cards` gives `GreetingCards`. */
export function kindNameFor(directory: string): string {
  const words = directory.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return /^[A-Z]/.test(name) ? name : `Kind${name}`;
}
