import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isJsonObject } from '@fnlet/base';
import fc from 'fast-check';
import type { ApiRequest } from '../src/index.ts';
import { isKubeObject } from '../src/object/object-form.ts';
import { type OpenedServer, openServer } from './opened-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const names = ['a', 'b', 'c'];
const colours = ['red', 'blue'];

const selectors: readonly Readonly<Record<string, string>>[] = [
  {},
  { labelSelector: 'colour=red' },
  { labelSelector: 'colour!=red' },
  { labelSelector: 'colour in (red,blue)' },
  { fieldSelector: 'metadata.name=a' },
  { labelSelector: 'colour=blue', fieldSelector: 'metadata.name!=b' },
];

type Step =
  | { readonly kind: 'put'; readonly name: string; readonly colour: string }
  | { readonly kind: 'delete'; readonly name: string }
  | { readonly kind: 'watch'; readonly selector: number; readonly fromList: boolean };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('put'),
    name: fc.constantFrom(...names),
    colour: fc.constantFrom(...colours, ''),
  }),
  fc.record({ kind: fc.constant('delete'), name: fc.constantFrom(...names) }),
  fc.record({
    kind: fc.constant('watch'),
    selector: fc.nat({ max: selectors.length - 1 }),
    fromList: fc.boolean(),
  }),
);

/** What a client knows: the version of each object by its name. */
type Known = Map<string, string>;

interface OpenWatch {
  readonly query: Readonly<Record<string, string>>;
  readonly known: Known;
  readonly done: Promise<void>;
}

async function take(server: OpenedServer, taken: Step, signal: AbortSignal): Promise<OpenWatch[]> {
  switch (taken.kind) {
    case 'put': {
      const metadata = { name: taken.name, labels: { colour: taken.colour } };
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
      const query = { fieldManager: 'test', force: 'true' };
      const contentType = 'application/apply-patch+yaml';
      await server.ask('PATCH', `${maps}/${taken.name}`, { body, query, contentType });
      return [];
    }
    case 'delete':
      await server.ask('DELETE', `${maps}/${taken.name}`);
      return [];
    case 'watch':
      return [await watch(server, taken, signal)];
  }
}

async function watch(
  server: OpenedServer,
  { selector, fromList }: Extract<Step, { kind: 'watch' }>,
  signal: AbortSignal,
): Promise<OpenWatch> {
  const query = selectors[selector] ?? {};
  const listed = fromList ? await list(server, query) : { known: new Map(), revision: '' };
  const { known, revision } = listed;
  const asked = { ...query, watch: '1', ...(fromList ? { resourceVersion: revision } : {}) };
  return { query, known, done: follow(server, { query: asked, signal, known }) };
}

async function list(
  server: OpenedServer,
  query: Readonly<Record<string, string>>,
): Promise<{ known: Known; revision: string }> {
  const { body } = await server.ask('GET', maps, { query });
  assert.ok(isJsonObject(body) && isJsonObject(body.metadata) && Array.isArray(body.items));
  const known = new Map<string, string>();
  for (const item of body.items) remember(known, item);
  return { known, revision: String(body.metadata.resourceVersion) };
}

function remember(known: Known, object: unknown): void {
  assert.ok(isKubeObject(object));
  const { name, resourceVersion = '' } = object.metadata;
  known.set(name, resourceVersion);
}

async function follow(
  server: OpenedServer,
  { query, signal, known }: { query: Record<string, string>; signal: AbortSignal; known: Known },
): Promise<void> {
  const request: ApiRequest = {
    method: 'GET',
    path: maps,
    query: new URLSearchParams(query),
    headers: {},
    user: { name: 'admin', groups: ['system:masters'] },
    signal,
  };
  const { body } = await server.server.handle(request);
  assert.ok(body.kind === 'events');
  for await (const batch of body.batches) {
    for (const { line } of batch) see(known, JSON.parse(Buffer.from(line).toString()));
  }
}

/** Every event must fit what was known, as an informer would have it. */
function see(known: Known, event: unknown): void {
  assert.ok(isJsonObject(event) && isKubeObject(event.object));
  const { name } = event.object.metadata;
  assert.equal(known.has(name), event.type !== 'ADDED', `${event.type} ${name}`);
  if (event.type === 'DELETED') known.delete(name);
  else remember(known, event.object);
}

async function play(steps: readonly (readonly Step[])[]): Promise<void> {
  await using server = await openServer();
  const stop = new AbortController();
  const watches: OpenWatch[] = [];
  // Steps of one group happen at the same time.
  for (const group of steps) {
    const opened = await Promise.all(group.map((one) => take(server, one, stop.signal)));
    watches.push(...opened.flat());
  }
  // What is committed has been handed to every watch; its reader takes it within some turns.
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  stop.abort();
  for (const { query, known, done } of watches) {
    await done;
    const { known: expected } = await list(server, query);
    assert.deepEqual(new Map([...known].sort()), new Map([...expected].sort()));
  }
}

it('a cache that follows a watch is what a list shows, however changes and watches interleave', async () => {
  const group = fc.array(step, { minLength: 1, maxLength: 4 });
  const steps = fc.array(group, { maxLength: 8 });
  await fc.assert(fc.asyncProperty(steps, play), { numRuns: 60 });
});
