import assert from 'node:assert/strict';
import { it } from 'node:test';
import { InstallSlots } from './install-slots.ts';

const { signal } = new AbortController();

it('run() lets so many through, the others in their order', async () => {
  const slots = new InstallSlots(1, 2);
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const work = (name: string, until = Promise.resolve()): Promise<void> =>
    slots.run(signal, async () => {
      order.push(name);
      await until;
    });
  const all = [work('a', gate.promise), work('b'), work('c')];
  await Promise.resolve();
  assert.deepEqual(order, ['a']);
  await assert.rejects(work('d'), { code: 'InstallFailed', retry: 'later' });
  gate.resolve();
  await Promise.all(all);
  assert.deepEqual(order, ['a', 'b', 'c']);
});

it('run() gives the place of who left to the next, and the slot of who failed', async () => {
  const slots = new InstallSlots(1, 5);
  const gate = Promise.withResolvers<never>();
  const failing = slots.run(signal, () => gate.promise);
  const abort = new AbortController();
  const leaving = slots.run(abort.signal, () => Promise.resolve('left'));
  const next = slots.run(signal, () => Promise.resolve('next'));
  abort.abort();
  await assert.rejects(leaving, { name: 'AbortError' });
  gate.reject(new Error('no'));
  await assert.rejects(failing, /no/);
  assert.equal(await next, 'next');
});
