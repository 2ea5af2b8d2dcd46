import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressRanges } from './address-ranges.ts';
import {
  believedChain,
  clientAddress,
  parseTrustedProxies,
  type TrustedProxies,
} from './client-address.ts';

const hops = (count: number): TrustedProxies => ({ kind: 'hops', hops: count });
const within = (...ranges: string[]): TrustedProxies => {
  return { kind: 'ranges', ranges: new AddressRanges(ranges) };
};

test('clientAddress() believes X-Forwarded-For only as far as trusted proxies wrote it', () => {
  for (const [forwarded, trusted, expected] of [
    // Anybody can write it.
    ['1.1.1.1', hops(0), '10.0.0.9'],
    ['1.1.1.1', within('192.0.2.0/24'), '10.0.0.9'],
    [undefined, hops(2), '10.0.0.9'],
    ['', hops(1), '10.0.0.9'],
    ['1.1.1.1', hops(1), '1.1.1.1'],
    // What the client wrote itself stands before what the proxy added.
    ['6.6.6.6, 1.1.1.1', hops(1), '1.1.1.1'],
    ['6.6.6.6, 1.1.1.1', within('10.0.0.0/8'), '1.1.1.1'],
    ['6.6.6.6, 1.1.1.1, 10.0.0.8', within('10.0.0.0/8'), '1.1.1.1'],
    ['6.6.6.6, 1.1.1.1, 10.0.0.8', hops(2), '1.1.1.1'],
    // All of them are trusted: the first one asks for itself.
    ['10.0.0.7, 10.0.0.8', within('10.0.0.0/8'), '10.0.0.7'],
    // A shorter way than configured.
    ['1.1.1.1', hops(5), '1.1.1.1'],
    ['6.6.6.6, unknown', hops(1), '10.0.0.9'],
    ['6.6.6.6, unknown, 10.0.0.8', within('10.0.0.0/8'), '10.0.0.8'],
    ['6.6.6.6,', hops(1), '10.0.0.9'],
    ['1.1.1.1:4711', hops(1), '1.1.1.1'],
    ['[2001:db8::1]:4711', hops(1), '2001:db8::1'],
    ['2001:db8::1', hops(1), '2001:db8::1'],
    ['::ffff:1.1.1.1', hops(1), '1.1.1.1'],
    ['<script>', hops(1), '10.0.0.9'],
  ] as const) {
    assert.equal(clientAddress('10.0.0.9', forwarded, trusted), expected, `${forwarded}`);
  }
});

test('believedChain() is what trusted proxies wrote, from the client on', () => {
  for (const [forwarded, trusted, expected] of [
    ['6.6.6.6', hops(0), []],
    [undefined, hops(1), []],
    ['6.6.6.6, 1.1.1.1:80', hops(1), ['1.1.1.1']],
    ['6.6.6.6, 1.1.1.1, 10.0.0.8', within('10.0.0.0/8'), ['1.1.1.1', '10.0.0.8']],
    ['6.6.6.6, unknown, 10.0.0.8', within('10.0.0.0/8'), ['10.0.0.8']],
  ] as const) {
    assert.deepEqual(believedChain('10.0.0.9', forwarded, trusted), expected, `${forwarded}`);
  }
});

test('parseTrustedProxies() reads a number of proxies, or their addresses', () => {
  assert.deepEqual(parseTrustedProxies('0'), hops(0));
  assert.deepEqual(parseTrustedProxies('2'), hops(2));
  const ranges = parseTrustedProxies('10.0.0.0/8, 2001:db8::/32');
  assert.equal(ranges?.kind === 'ranges' && ranges.ranges.has('2001:db8::7'), true);
  for (const text of ['', 'x', '-1', '33', '10.0.0.0/8,', '10.0.0.0/8 ::1', '1.5']) {
    assert.equal(parseTrustedProxies(text), undefined, text);
  }
});
