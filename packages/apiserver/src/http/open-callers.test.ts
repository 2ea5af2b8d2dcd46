import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type OpenCaller, OpenCallers } from './open-callers.ts';

class Caller implements OpenCaller {
  told = 0;

  leave(): void {
    this.told++;
  }
}

describe('OpenCallers', () => {
  it('tell all that are open, and wait until those have left', async () => {
    const open = new OpenCallers();
    const [gone, first, second, late] = [new Caller(), new Caller(), new Caller(), new Caller()];
    for (const caller of [gone, first, second]) open.add(caller);
    open.delete(gone);
    assert.equal(open.isClosed, false);
    let haveLeft = false;
    const left = open.close().then(() => {
      haveLeft = true;
    });
    assert.equal(open.isClosed, true);
    open.add(late);
    open.delete(first);
    await Promise.resolve();
    assert.equal(haveLeft, false);
    open.delete(second);
    await left;
    assert.deepEqual(
      [gone, first, second, late].map(({ told }) => told),
      [0, 1, 1, 0],
    );
  });

  it('wait for nobody when nobody is there, nor for who leaves at once', async () => {
    await new OpenCallers().close();
    const open = new OpenCallers();
    const caller = { leave: (): void => open.delete(caller) };
    open.add(caller);
    await open.close();
  });
});
