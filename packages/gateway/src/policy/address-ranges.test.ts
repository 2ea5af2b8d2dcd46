import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AddressRanges, clientBlock, isAddressRange } from './address-ranges.ts';

test('AddressRanges tells who is in a range, in both families', () => {
  const ranges = new AddressRanges(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', '::1', 'nonsense']);
  for (const [address, expected] of [
    ['10.0.0.0', true],
    ['10.255.255.255', true],
    ['11.0.0.0', false],
    ['9.255.255.255', false],
    ['192.0.2.7', true],
    ['192.0.2.8', false],
    ['::ffff:10.1.2.3', true],
    ['::FFFF:192.0.2.7', true],
    ['::ffff:11.0.0.1', false],
    ['2001:db8:ffff::1', true],
    ['2001:DB8::', true],
    ['2001:db9::1', false],
    ['::1', true],
    ['0:0:0:0:0:0:0:1', true],
    ['::1%lo', true],
    ['::2', false],
    ['10.1', false],
    ['unknown', false],
    ['', false],
  ] as const) {
    assert.equal(ranges.has(address), expected, address);
  }
});

test('an IPv4 range of all addresses holds no IPv6 address, and the other way round', () => {
  assert.equal(new AddressRanges(['0.0.0.0/0']).has('2001:db8::1'), false);
  assert.equal(new AddressRanges(['::/0']).has('2001:db8::1'), true);
  assert.equal(new AddressRanges([]).has('127.0.0.1'), false);
});

test('isAddressRange() takes nothing that could be understood in two ways', () => {
  for (const text of ['10.0.0.0/8', '10.0.0.0/0', '1.2.3.4', '::/0', 'fe80::1/128', '::1']) {
    assert.equal(isAddressRange(text), true, text);
  }
  for (const text of [
    ...['', '10.0.0.0/33', '10.0.0.0/08', '10.0.0.0/', '10.0.0/8', '010.0.0.1', '0x7f.0.0.1'],
    ...['1.2.3.4/-1', '1.2.3.4 ', '::1/129', ':::1', 'fe80::1%eth0', 'localhost', '1.2.3.4/8/8'],
  ]) {
    assert.equal(isAddressRange(text), false, text);
  }
});

test('clientBlock() is an IPv4 address, or the /64 block of an IPv6 address', () => {
  for (const [address, expected] of [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['unknown', 'unknown'],
  ] as const) {
    assert.equal(clientBlock(address), expected, address);
  }
});

test('clientBlock() is the same for all spellings within one block, and for no other', () => {
  fc.assert(
    fc.property(fc.ipV6(), fc.ipV6(), (left, right) => {
      fc.pre(clientBlock(left).includes(':') && clientBlock(right).includes(':'));
      const range = new AddressRanges([`${left}/64`]);
      assert.equal(clientBlock(left) === clientBlock(right), range.has(right));
    }),
  );
});
