import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventAllowance } from './event-allowance.ts';
import type { InvolvedObject } from './kube-event.ts';
import { knownEventsMax } from './limits.ts';

const minuteMs = 60_000;

function object(name: string): InvolvedObject {
  return { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name, uid: name };
}

/** How many of so many may be written. */
function taken(allowance: EventAllowance, name: string, at: { nowMs: number; tries: number }) {
  const tries = Array.from({ length: at.tries }, () => allowance.take(object(name), at.nowMs));
  return tries.filter(Boolean).length;
}

describe('EventAllowance', () => {
  it('is 25 at once for each object, whatever the others do', () => {
    const allowance = new EventAllowance();
    assert.equal(taken(allowance, 'a', { nowMs: 0, tries: 40 }), 25);
    assert.equal(taken(allowance, 'b', { nowMs: 0, tries: 40 }), 25);
  });

  it('grows by one in five minutes, up to 25, whoever asked in vain', () => {
    const allowance = new EventAllowance();
    taken(allowance, 'a', { nowMs: 0, tries: 40 });
    assert.equal(taken(allowance, 'a', { nowMs: 5 * minuteMs - 1, tries: 40 }), 0);
    assert.equal(taken(allowance, 'a', { nowMs: 5 * minuteMs, tries: 40 }), 1);
    assert.equal(taken(allowance, 'a', { nowMs: 20 * minuteMs, tries: 40 }), 3);
    assert.equal(taken(allowance, 'a', { nowMs: 1000 * minuteMs, tries: 40 }), 25);
  });

  it('forgets whom it has not heard of for longest', () => {
    const allowance = new EventAllowance();
    taken(allowance, 'a', { nowMs: 0, tries: 25 });
    for (let n = 0; n < knownEventsMax; n++) allowance.take(object(`other-${n}`), 0);
    assert.equal(taken(allowance, 'a', { nowMs: 0, tries: 1 }), 1);
  });
});
