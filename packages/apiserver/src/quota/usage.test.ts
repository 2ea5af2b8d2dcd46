import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  addUsage,
  formatUsage,
  growthOf,
  largerUsage,
  parseUsage,
  sameUsage,
  showUsage,
} from './usage.ts';

const use = parseUsage;

describe('a usage', () => {
  it('is said by name, each amount in its one form', () => {
    assert.equal(
      formatUsage(use({ pods: '2', cpu: '0.5', 'a.b/c': 1 })),
      'a.b/c=1,cpu=500m,pods=2',
    );
    assert.deepEqual(showUsage(use({ memory: '1024Mi', cpu: '1000m' })), {
      cpu: '1',
      memory: '1Gi',
    });
  });

  it('adds up in the form of what comes first, and of what comes at all', () => {
    assert.equal(formatUsage(addUsage(use({ m: '0' }), use({ m: '1Gi' }))), 'm=1Gi');
    assert.equal(
      formatUsage(addUsage(use({ m: '1G' }), use({ m: '24Mi', n: '1' }))),
      'm=1025165824,n=1',
    );
    assert.equal(formatUsage(addUsage(use({ c: '100m' }), use({ c: '1' }))), 'c=1100m');
  });

  it('grows by what is more, and never by less than nothing', () => {
    const next = use({ a: '3', b: '1', c: '2' });
    assert.equal(formatUsage(growthOf(next, use({ a: '1', b: '4', d: '1' }))), 'a=2,c=2');
    assert.equal(growthOf(next, next).size, 0);
  });

  it('is the larger of two, resource by resource', () => {
    assert.equal(
      formatUsage(largerUsage(use({ a: '1', b: '2' }), use({ b: '1', c: '1' }))),
      'a=1,b=2,c=1',
    );
    assert.equal(formatUsage(largerUsage(use({ a: '1' }), use({ a: '1500m' }))), 'a=1500m');
  });

  it('is the same however it is written', () => {
    assert(sameUsage(use({ a: '1', b: '1Ki' }), use({ a: '1000m', b: 1024 })));
    assert(!sameUsage(use({ a: '1' }), use({ a: '1', b: '0' })));
    assert(!sameUsage(use({ a: '1' }), use({ b: '1' })));
  });

  it('leaves out what is no amount', () => {
    assert.equal(use({ a: 'many', b: null, c: '1' }).size, 1);
    assert.equal(use(undefined).size, 0);
  });
});
