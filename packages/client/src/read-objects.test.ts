import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@fnlet/machinery';
import fc from 'fast-check';
import { configMaps } from '../test/scripted-api.ts';
import { limits } from './limits.ts';
import { type Projection, parseProjection, projectValue } from './projection.ts';
import { readList, readWatch } from './read-objects.ts';
import type { TransportResponse } from './transport.ts';
import type { WatchEvent } from './watch-event.ts';

/** An answer whose text comes in chunks that are cut at `cuts`, again and again. */
function answer(text: string, cuts: readonly number[]): TransportResponse {
  const fail = (): never => assert.fail('the text is scanned, not parsed');
  return {
    status: 200,
    headers: {},
    json: fail,
    documents: fail,
    bytes: fail,
    async *chunks() {
      const bytes = Buffer.from(text);
      for (let at = 0, n = 0; at < bytes.length; n++) {
        const end = at + (cuts[n % cuts.length] ?? bytes.length);
        yield bytes.subarray(at, end);
        at = end;
      }
    },
  };
}

const object = fc
  .tuple(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.dictionary(fc.constantFrom('data', 'items', 'type', 'object', 'spec'), fc.jsonValue()),
  )
  .map(([name, fields]) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    ...fields,
    metadata: { name, annotations: { '[{"items":[': '}]' } },
  }));
const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });
const keeps = fc.constantFrom([], ['data', 'spec.a'], ['items[*]', 'type']);
const expected = (item: unknown, projection: Projection): unknown =>
  projectValue(JSON.parse(JSON.stringify(item)), projection);

describe('readList()', () => {
  it('gives what is kept of any list, whatever the chunks', async () => {
    const properties = fc.record({
      items: fc.array(object),
      indent: fc.nat(2),
      metadataLast: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(properties, cuts, keeps, async (list, at, keep) => {
        const { items, indent, metadataLast } = list;
        const metadata = { resourceVersion: '7', continue: 'c"items":[', nested: { items: [[]] } };
        const body = metadataLast ? { kind: 'L', items, metadata } : { kind: 'L', metadata, items };
        const projection = parseProjection(keep);
        const text = JSON.stringify(body, undefined, indent);
        const page = await readList<KubeObject>(configMaps, answer(text, at), projection);
        const kept = items.map((item) => expected(item, projection));
        assert.deepEqual(page.items, kept);
        assert.deepEqual([page.resourceVersion, page.continue], ['7', 'c"items":[']);
      }),
      { numRuns: 60 },
    );
  });

  const read = (text: string): Promise<unknown> =>
    readList(configMaps, answer(text, [7]), parseProjection([]));

  it('takes a list without items, as Go writes it', async () => {
    const page = await read('{"kind":"L","metadata":{"resourceVersion":"7"},"items":null}');
    assert.deepEqual(page, {
      items: [],
      resourceVersion: '7',
      continue: undefined,
      remainingItemCount: undefined,
    });
  });

  it('refuses a list that is cut off anywhere', async () => {
    const item = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}';
    const text = `{"metadata":{"resourceVersion":"7"},"items":[${item},${item}],"kind":"L"}`;
    await read(text);
    for (let end = 0; end < text.length; end++) {
      await assert.rejects(read(text.slice(0, end)), { code: 'Interrupted' }, text.slice(0, end));
    }
  });

  it('refuses what is not a list of objects of the kind', async () => {
    const list = (items: string): string =>
      `{"metadata":{"resourceVersion":"7"},"items":[${items}]}`;
    await assert.rejects(read(list('7')), { code: 'Interrupted', message: /among the items/ });
    await assert.rejects(read(list('{}')), { code: 'InvalidAnswer' });
    await assert.rejects(read('{"kind":"Status"}'), { code: 'InvalidAnswer' });
    await assert.rejects(read(`{"a":"${'x'.repeat(limits.envelopeBytesMax)}"}`), {
      code: 'Interrupted',
      message: /more than 65536 bytes/,
    });
  });
});

describe('readWatch()', () => {
  const read = (text: string, at: readonly number[], keep: readonly string[]) =>
    Array.fromAsync(readWatch<KubeObject>(configMaps, answer(text, at), parseProjection(keep)));

  const bookmark = {
    type: 'BOOKMARK',
    object: {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { resourceVersion: '9', annotations: { 'k8s.io/initial-events-end': 'true' } },
    },
  };

  it('gives what is kept of any event, and bookmarks whole, whatever the chunks', async () => {
    const type = fc.constantFrom('ADDED', 'MODIFIED', 'DELETED');
    const events = fc.array(fc.record({ type, object }));
    await fc.assert(
      fc.asyncProperty(events, cuts, keeps, async (changes, at, keep) => {
        const lines = [...changes, bookmark].map((event) => JSON.stringify(event));
        const projection = parseProjection(keep);
        const wanted: unknown[] = changes.map((event) => ({
          type: event.type,
          object: expected(event.object, projection),
        }));
        wanted.push({ type: 'BOOKMARK', resourceVersion: '9', initialEventsEnd: true });
        assert.deepEqual(await read(`${lines.join('\n')}\n`, at, keep), wanted);
        assert.deepEqual(await read(lines.join('\r\n \n'), at, keep), wanted);
      }),
      { numRuns: 60 },
    );
  });

  it('fails with the Status of an ERROR event', async () => {
    const status = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' };
    const text = `${JSON.stringify({ type: 'ERROR', object: status })}\n`;
    await assert.rejects(read(text, [3], []), { code: 'Expired', message: /too old/ });
  });

  it('gives events before a line that is cut off or not JSON, then fails', async () => {
    const text = `${JSON.stringify(bookmark)}\n{"type":"ADDED","object":{"kind":`;
    const events: WatchEvent<KubeObject>[] = [];
    const reading = async (): Promise<void> => {
      const response = answer(text, [5]);
      for await (const event of readWatch(configMaps, response, parseProjection([]))) {
        events.push(event);
      }
    };
    await assert.rejects(reading(), { code: 'Interrupted' });
    assert.equal(events.length, 1);
  });

  it('refuses a line that is too long', async () => {
    const text = `{"a":"${'x'.repeat(limits.lineBytesMax)}"}`;
    await assert.rejects(read(text, [1_000_000], []), { code: 'Interrupted', message: /bytes/ });
  });
});
