import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@fnlet/base';
import fc from 'fast-check';
import type { RouteShare, RouteSplit } from '../route.ts';
import { chooseShare } from './choose-share.ts';

function share(revision: string, percent: number, tag?: string): RouteShare {
  const limits = {
    timeoutMs: 1000,
    wakeMs: 0,
    bodyBytesMax: 1,
    concurrencyLimit: 0,
    concurrencyTarget: 0,
  };
  const route = { namespace: 'ns', function: 'fn', revision: `ns/${revision}`, ...limits };
  return { route, percent, ...(tag === undefined ? {} : { tag }) };
}

const split: RouteSplit = {
  shares: [share('fn-old', 100), share('fn-new', 0, 'next')],
  sessionSeconds: 60,
};

function choose(lines: readonly string[], tag?: string, chosenOf: RouteSplit = split) {
  const fields = { kept: lines.map((line) => `${line}\r\n`).join(''), known: new Map() };
  const asked = { fields, tag, cookie: 'fnlet-ns-fn' };
  const { share: chosen, byChance } = chooseShare(chosenOf, asked, seededRandom(1));
  return `${chosen.route.revision}${byChance ? ' by chance' : ''}`;
}

test('chooseShare() follows what is called or named, in this order', () => {
  const toOld = 'X-Fnlet-Revision: fn-old';
  const toNew = 'x-fnlet-revision:  fn-new ';
  const session = 'Cookie: a=b; fnlet-ns-fn=fn-new; c=d';
  for (const [lines, tag, expected] of [
    [[], undefined, 'ns/fn-old by chance'],
    [[], 'next', 'ns/fn-new'],
    [[toOld], 'next', 'ns/fn-new'],
    [[toNew], undefined, 'ns/fn-new'],
    [[toOld, 'X-Fnlet-Tag: next'], undefined, 'ns/fn-old'],
    [['Accept: x', 'X-Fnlet-Tag: next'], undefined, 'ns/fn-new'],
    [[session], undefined, 'ns/fn-new'],
    [[session, toOld], undefined, 'ns/fn-old'],
  ] as const) {
    assert.equal(choose(lines, tag), expected, lines.join());
  }
});

test('chooseShare() passes over what nothing has', () => {
  const byChance = 'ns/fn-old by chance';
  assert.equal(choose(['X-Fnlet-Revision: fn-gone']), byChance);
  assert.equal(choose(['X-Fnlet-Tag: gone']), byChance);
  assert.equal(choose([], 'gone'), byChance);
  assert.equal(choose(['Cookie: fnlet-ns-fn=fn-gone']), byChance);
  assert.equal(choose(['Cookie: fnlet-ns-fnx=fn-new; fnlet-ns-fn']), byChance);
});

test('chooseShare() looks at no cookie where there are no sessions', () => {
  const { shares } = split;
  assert.equal(
    choose(['Cookie: fnlet-ns-fn=fn-new'], undefined, { shares }),
    'ns/fn-old by chance',
  );
});

test('chooseShare() gives every Revision its percentage of what is left to chance', () => {
  const property = fc.property(fc.integer({ min: 0, max: 100 }), fc.integer(), (percent, seed) => {
    const random = seededRandom(seed);
    const shares = [share('a', percent), share('b', 100 - percent), share('c', 0, 'c')];
    const fields = { kept: '', known: new Map() };
    const counts = new Map<string | undefined, number>();
    for (let call = 0; call < 2000; call++) {
      const asked = { fields, tag: undefined, cookie: 'x' };
      const { revision } = chooseShare({ shares }, asked, random).share.route;
      counts.set(revision, (counts.get(revision) ?? 0) + 1);
    }
    assert.equal(counts.get('ns/c'), undefined);
    // Five standard deviations of the binomial distribution.
    const part = percent / 100;
    const marginOfError = 5 * Math.sqrt(2000 * part * (1 - part));
    assert.ok(Math.abs((counts.get('ns/a') ?? 0) - 2000 * part) <= marginOfError);
  });
  fc.assert(property, { numRuns: 30 });
});
