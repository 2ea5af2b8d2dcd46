import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Reinvocation } from './reinvocation.ts';

describe('Reinvocation', () => {
  it('wants no second round while nothing is changed', () => {
    const reinvocation = new Reinvocation<string>();
    reinvocation.begin({ n: 0 }, 'first');
    assert.ok(reinvocation.isDue('a'));
    reinvocation.asked('a');
    reinvocation.end({ n: 0 });
    assert.equal(reinvocation.isWanted, false);
  });

  it('asks those again that were asked before a change, and not the one that made it', () => {
    const reinvocation = new Reinvocation<string>();
    reinvocation.begin({ n: 0 }, 'first');
    reinvocation.asked('a');
    reinvocation.changed();
    reinvocation.asked('b');
    reinvocation.end({ n: 1 });
    assert.ok(reinvocation.isWanted);
    reinvocation.begin({ n: 1 }, 'second');
    assert.deepEqual(
      ['a', 'b', 'never'].map((key) => reinvocation.isDue(key)),
      [true, false, false],
    );
  });

  it('asks all that were asked when others changed the object between the rounds', () => {
    const reinvocation = new Reinvocation<string>();
    reinvocation.begin({ n: 0 }, 'first');
    reinvocation.asked('a');
    reinvocation.end({ n: 0 });
    reinvocation.begin({ n: 0 }, 'second');
    assert.equal(reinvocation.isDue('a'), false);
    const other = new Reinvocation<string>();
    other.begin({ n: 0 }, 'first');
    other.asked('a');
    other.end({ n: 0 });
    other.begin({ n: 1 }, 'second');
    assert.deepEqual([other.isDue('a'), other.isDue('never')], [true, false]);
  });

  it('asks in the second round also those after one that changes the object there', () => {
    const reinvocation = new Reinvocation<string>();
    reinvocation.begin({ n: 0 }, 'first');
    reinvocation.asked('a');
    reinvocation.changed();
    reinvocation.asked('c');
    reinvocation.end({ n: 1 });
    reinvocation.begin({ n: 1 }, 'second');
    assert.equal(reinvocation.isDue('c'), false);
    reinvocation.changed();
    assert.ok(reinvocation.isDue('c'));
  });
});
