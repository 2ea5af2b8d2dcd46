import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLayers, type RoomManifest } from './layers.ts';
import type { SourceFile } from './source-file.ts';

const rooms = ['base', 'store', 'gateway', 'executor', 'cli', 'server'];
const manifestOf = (room: string): RoomManifest => ({
  path: `manifests/${room}/package.json`,
  dependencies: [],
  doors: [`@fnlet/${room}`],
});
const doorsOnly: readonly RoomManifest[] = rooms.map(manifestOf);

function messages(
  files: readonly SourceFile[],
  manifests: readonly RoomManifest[] = doorsOnly,
): string[] {
  return checkLayers(files, manifests).map(({ message }) => message);
}

test('checkLayers() allows imports from lower layers and within a room', () => {
  const files = [
    { path: 'packages/store/src/store.ts', text: "import { x } from '@fnlet/base';\n" },
    { path: 'packages/store/src/index.ts', text: "export type { Y } from './store.ts';\n" },
  ];
  assert.deepEqual(messages(files), []);
});

test('checkLayers() refuses an import that goes up, types included', () => {
  const text = "import type { Gateway } from '@fnlet/gateway';\n";
  const found = messages([{ path: 'packages/store/src/store.ts', text }]);
  assert.deepEqual(found, ['imports up: store (layer 2) from gateway (layer 4)']);
});

test('checkLayers() refuses an import that goes sideways', () => {
  const text = "import {\n  a,\n  b,\n} from '@fnlet/executor';\n";
  const found = checkLayers([{ path: 'packages/gateway/src/relay.ts', text }], doorsOnly);
  assert.deepEqual(found, [
    {
      path: 'packages/gateway/src/relay.ts',
      line: 4,
      message: 'imports sideways: gateway (layer 4) from executor (layer 4)',
    },
  ]);
});

test('checkLayers() refuses deep imports and imports around the door', () => {
  const deep = { path: 'packages/cli/src/a.ts', text: "import '@fnlet/base/src/json.ts';\n" };
  const around = { path: 'packages/cli/src/b.ts', text: "import '../../base/src/json.ts';\n" };
  const found = messages([deep, around]);
  assert.match(found[0] ?? '', /expected a door such as "@fnlet\/base"/);
  assert.match(found[1] ?? '', /from outside its room/);
});

test('checkLayers() refuses a dynamic import that goes up', () => {
  const text = "const x = await import('@fnlet/server');\n";
  assert.match(messages([{ path: 'packages/base/src/a.ts', text }])[0] ?? '', /imports up/);
});

test('checkLayers() finds a cycle between files, type imports included', () => {
  const files = [
    { path: 'packages/base/src/a.ts', text: "import { b } from './b.ts';\n" },
    { path: 'packages/base/src/b.ts', text: "import type { C } from './c.ts';\n" },
    { path: 'packages/base/src/c.ts', text: "import { a } from './a.ts';\n" },
  ];
  const found = messages(files);
  assert.equal(found.length, 1);
  assert.match(found[0] ?? '', /^import cycle: .*a\.ts -> .*b\.ts -> .*c\.ts -> .*a\.ts$/);
});

test('checkLayers() refuses a room without a layer', () => {
  const found = messages([{ path: 'packages/attic/src/a.ts', text: '' }]);
  assert.deepEqual(found, ['room "attic" has no layer']);
});

test('checkLayers() wants every import declared, and every declaration used', () => {
  const files = [{ path: 'packages/store/src/a.ts', text: "import { open } from 'lmdb';\n" }];
  const manifests = [
    { path: 'packages/store/package.json', dependencies: ['left-pad'], doors: [] },
  ];
  assert.deepEqual(messages(files, manifests), [
    'imports "lmdb" without declaring it',
    'declares "left-pad" but nothing imports it',
  ]);
});

test('checkLayers() refuses a door that offers what nothing outside uses', () => {
  const door = {
    path: 'packages/base/src/index.ts',
    text: "export { used, unused } from './a.ts';\n",
  };
  const types = { path: 'packages/store/src/index.ts', text: "export type { A } from './a.ts';\n" };
  const user = { path: 'test/crash.test.ts', text: 'used();\n' };
  assert.deepEqual(messages([door, types, user]), [
    'exports "unused", which nothing outside the room uses',
  ]);
});
