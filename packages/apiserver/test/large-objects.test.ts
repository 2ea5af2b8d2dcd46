import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Clock, systemClock } from '@fnlet/base';
import { at, textAt } from './at.ts';
import { type Answer, openServer } from './opened-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const revisions = '/apis/apps/v1/namespaces/default/controllerrevisions';

/** A clock for which every step of any work is long. */
function slowClock(): Clock {
  let elapsedMs = 0;
  return {
    ...systemClock,
    monotonicMs: () => {
      elapsedMs += 1000;
      return elapsedMs;
    },
  };
}

function configMap(name: string, data: Readonly<Record<string, string>> = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

// A kind whose data has no bound of its own.
function revision(name: string, data: object): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name },
    data,
    revision: 1,
  };
}

describe('an object that is too large', () => {
  it('is refused when it is made, and when a patch makes it so', async () => {
    await using server = await openServer();
    const half = 'x'.repeat(800 * 1024);
    const whole = revision('whole', { a: half, b: half });
    const refused = await server.ask('POST', revisions, { body: whole });
    assert.equal(refused.status, 413);
    assert.match(textAt(refused.body, '/message'), /^Request entity too large: limit is 1572864 /);
    assert.equal((await server.ask('GET', `${revisions}/whole`)).status, 404);

    const most = 'x'.repeat(1400 * 1024);
    const note = 'x'.repeat(250 * 1024);
    const made = await server.ask('POST', revisions, { body: revision('grown', { most }) });
    assert.equal(made.status, 201);
    const patched = await server.ask('PATCH', `${revisions}/grown`, {
      contentType: 'application/merge-patch+json',
      body: { revision: 2, metadata: { annotations: { note } } },
    });
    assert.equal(patched.status, 413);
    assert.deepEqual((await server.ask('GET', `${revisions}/grown`)).body, made.body);
  });

  it('is measured in bytes, not in characters', async () => {
    await using server = await openServer();
    const body = revision('wide', { text: '€'.repeat(600 * 1024) });
    assert.equal((await server.ask('POST', revisions, { body })).status, 413);
    const fits = revision('wide', { text: '€'.repeat(500 * 1024) });
    assert.equal((await server.ask('POST', revisions, { body: fits })).status, 201);
  });
});

describe('long work on an object', () => {
  const apply = { contentType: 'application/apply-patch+yaml', query: { fieldManager: 'me' } };

  it('lets others have the thread between its steps', async () => {
    await using server = await openServer({ clock: slowClock() });
    await server.ask('POST', maps, { body: configMap('a', { k: 'v' }) });
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const body = configMap('a', { l: 'w' });
    const { status } = await server.ask('PATCH', `${maps}/a`, { ...apply, body });
    isDone = true;
    assert.equal(status, 200);
    assert.ok(turns >= 8, `${turns} turns`);
  });

  it('creates nothing in a namespace that has begun to go meanwhile', async () => {
    await using server = await openServer({ clock: slowClock() });
    const namespaces = '/api/v1/namespaces';
    const outcomes = new Set<number>();
    for (let turns = 0; turns < 16; turns++) {
      const name = `going-${turns}`;
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
      assert.equal((await server.ask('POST', namespaces, { body: namespace })).status, 201);
      const path = `${namespaces}/${name}/configmaps`;
      const creating = server.ask('POST', path, { body: configMap('a') });
      for (let n = 0; n < turns; n++) await new Promise((resolve) => setImmediate(resolve));
      const gone = await server.ask('DELETE', `${namespaces}/${name}`);
      const made = await creating;
      outcomes.add(made.status);
      if (made.status !== 201) continue;
      const version = ({ body }: Answer): number => Number(at(body, '/metadata/resourceVersion'));
      assert.ok(version(made) < version(gone), `after ${turns} turns`);
    }
    assert.ok(outcomes.has(201) && outcomes.has(403), [...outcomes].join());
  });

  it('comes to its end although others write to the object all the time', async () => {
    await using server = await openServer({ clock: slowClock() });
    await server.ask('POST', maps, { body: configMap('a') });
    let isDone = false;
    const merge = 'application/merge-patch+json';
    const disturb = async (): Promise<void> => {
      for (let n = 0; !isDone; n++) {
        const body = { metadata: { labels: { n: String(n) } } };
        await server.ask('PATCH', `${maps}/a`, { contentType: merge, body });
      }
    };
    const disturbing = Promise.all([disturb(), disturb(), disturb()]);
    const body = configMap('a', { l: 'w' });
    const answer = await server.ask('PATCH', `${maps}/a`, { ...apply, body });
    isDone = true;
    await disturbing;
    assert.equal(answer.status, 200);
    assert.equal(at(answer.body, '/data/l'), 'w');
  });
});
