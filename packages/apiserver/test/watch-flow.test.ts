import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import type { EventFlow, EventReader } from '../src/request/event-batches.ts';
import { FanOut } from '../src/watch/fan-out.ts';
import { at, textAt } from './at.ts';
import { type OpenedServer, openServer } from './opened-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const user = { name: 'admin', groups: ['system:masters'] };

function configMap(name: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
}

class SlowReader implements EventReader {
  readonly seen: string[] = [];
  isReady = true;
  ends = 0;

  take(batch: Parameters<EventReader['take']>[0]): boolean {
    for (const { value } of batch) {
      this.seen.push(
        `${textAt(value, '/type')} ${at(value, '/object/metadata/name') ?? ''}`.trim(),
      );
    }
    return this.isReady;
  }

  end(): void {
    this.ends++;
  }
}

/** Opens a watch and has its events handed over; the signal of its request must not be needed. */
async function watchFlow(
  { server }: OpenedServer,
  reader: EventReader,
  query: Readonly<Record<string, string>> = {},
): Promise<EventFlow> {
  const { body } = await server.handle({
    method: 'GET',
    path: maps,
    query: new URLSearchParams({ watch: '1', ...query }),
    headers: {},
    user,
    get signal(): AbortSignal {
      throw new Error('a signal was made for a watch that needs none');
    },
  });
  assert.ok(body.kind === 'events');
  const flow = body.batches.flow?.(reader, new FanOut());
  assert.ok(flow !== undefined);
  return flow;
}

describe('a watch that is handed over', () => {
  it('shows the state, and then every change', async () => {
    const clock = new VirtualClock();
    await using server = await openServer({ clock });
    const reader = new SlowReader();
    const flow = await watchFlow(server, reader);
    await clock.advance(1);
    await server.ask('POST', maps, { body: configMap('a') });
    await server.ask('DELETE', `${maps}/a`);
    await clock.advance(1);
    assert.deepEqual(reader.seen, ['ADDED kube-root-ca.crt', 'ADDED a', 'DELETED a']);
    flow.close();
    assert.equal(reader.ends, 1);
  });

  it('waits for a reader that is slow, at first and later, and loses nothing', async () => {
    const clock = new VirtualClock();
    await using server = await openServer({ clock });
    const reader = new SlowReader();
    reader.isReady = false;
    const flow = await watchFlow(server, reader);
    await clock.advance(1);
    await server.ask('POST', maps, { body: configMap('a') });
    await clock.advance(1);
    assert.deepEqual(reader.seen, ['ADDED kube-root-ca.crt']);
    flow.resume();
    await clock.advance(1);
    assert.deepEqual(reader.seen.slice(1), ['ADDED a']);
    await server.ask('POST', maps, { body: configMap('b') });
    await clock.advance(1);
    assert.deepEqual(reader.seen.slice(2), []);
    reader.isReady = true;
    flow.resume();
    assert.deepEqual(reader.seen.slice(2), ['ADDED b']);
  });

  it('leaves no timer behind when its reader goes, though that still takes the state', async () => {
    const clock = new VirtualClock();
    await using server = await openServer({ clock });
    const before = clock.timers;
    const reader = new SlowReader();
    reader.isReady = false;
    const flow = await watchFlow(server, reader, { allowWatchBookmarks: 'true' });
    await clock.advance(1);
    assert.ok(clock.timers > before);
    flow.close();
    flow.close();
    await clock.advance(1);
    assert.equal(clock.timers, before);
    assert.equal(reader.ends, 1);
  });

  it('ends when its time is up, and says why when its start is gone', async () => {
    const clock = new VirtualClock();
    await using server = await openServer({ clock });
    const reader = new SlowReader();
    await watchFlow(server, reader, { timeoutSeconds: '5' });
    await clock.advance(5000);
    assert.equal(reader.ends, 1);
    const late = new SlowReader();
    await watchFlow(server, late, { resourceVersion: '1000000' });
    await clock.advance(1);
    assert.deepEqual(late.seen, ['ERROR']);
    assert.equal(late.ends, 1);
  });
});
