import assert from 'node:assert/strict';
import { it } from 'node:test';
import { judgeDurability } from './judge-durability.ts';

const always = { syncsAlways: true, syncInterval: undefined };
const seldom = { syncsAlways: false, syncInterval: 120e9 };

it('judgeDurability() believes in a flush only when the server tells', () => {
  const cases = [
    [{ version: '2.10.27', replicas: 1, settings: always }, 'flushed', /always/],
    [{ version: '2.10.27', replicas: 3, settings: always }, 'flushed', /always/],
    [{ version: '2.10.27', replicas: 3, settings: seldom }, 'replicated', /every 120 s/],
    [{ version: '2.15.1', replicas: 1, settings: seldom }, 'eventuallyFlushed', /every 120 s/],
    [{ version: '2.15.1', replicas: 1, settings: undefined }, 'eventuallyFlushed', /monitoring/],
    [{ version: '3.0.0', replicas: 1, settings: undefined }, 'eventuallyFlushed', /monitoring/],
    [{ version: '2.9.10', replicas: 3, settings: undefined }, 'replicated', /2\.9\.10/],
  ] as const;
  for (const [facts, durability, found] of cases) {
    const judgement = judgeDurability(facts);
    assert.equal(judgement.durability, durability);
    assert.match(judgement.found, found);
  }
});
