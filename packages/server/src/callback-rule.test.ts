import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CallbackRule, parseCallbackRule } from './callback-rule.ts';

function rule(text: string): CallbackRule {
  return parseCallbackRule(text, () => '127.0.0.1:8080');
}

const inner = [
  'http://127.0.0.1/',
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f.0.0.1:9000/',
  'http://0.0.0.0/',
  'http://10.1.2.3/',
  'http://100.64.0.1/',
  'http://169.254.169.254/latest/meta-data',
  'http://172.31.0.1/',
  'http://192.168.0.1/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  'http://[::]/',
  'http://[::1]:7443/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:8.8.8.8]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[fd00::1]/',
  'http://[fe80::1]/',
  'http://localhost/',
  'http://localhost./',
  'http://db.localhost/',
  'http://metadata.google.internal/',
  'http://printer.local/',
  'http://database/',
];

for (const url of inner) {
  test(`nothing is sent to ${url} by default`, () => {
    assert.match(rule('public').refuse(url) ?? '', /--callback-hosts/);
  });
}

for (const url of ['https://example.com/', 'http://8.8.8.8/', 'http://[2606:4700::1111]/']) {
  test(`${url} may be called back by default`, () => {
    assert.equal(rule('public').refuse(url), undefined);
  });
}

test('the Gateway may always be called back, what is beside it may not', () => {
  assert.equal(rule('none').refuse('http://127.0.0.1:8080/default/done'), undefined);
  assert.ok(rule('none').allows('127.0.0.1', 8080, '127.0.0.1'));
  assert.notEqual(rule('none').refuse('http://127.0.0.1:8081/'), undefined);
});

test('a public name with an inner address is not connected to', () => {
  const { allows } = rule('public');
  assert.equal(allows('rebind.example.com', 80, '127.0.0.1'), false);
  assert.equal(allows('rebind.example.com', 80, '::1'), false);
  assert.equal(allows('rebind.example.com', 80, 'not an address'), false);
  assert.equal(allows('example.com', 80, '93.184.215.14'), true);
});

test('hosts may be named, with a port, or all below one', () => {
  const named = rule('hooks.corp, *.lan ,10.0.0.7:9000,::1');
  const may = (url: string): boolean => named.refuse(url) === undefined;
  assert.ok(may('http://hooks.corp:81/'));
  assert.ok(may('http://a.b.lan/'));
  assert.ok(may('http://10.0.0.7:9000/'));
  assert.ok(may('http://[::1]:5/'));
  assert.ok(!may('http://10.0.0.7/'));
  assert.ok(!may('http://lan/'));
  assert.ok(!may('http://evil-hooks.corp/'));
  assert.ok(!may('https://example.com/'));
  assert.ok(named.allows('hooks.corp', 80, '10.0.0.9'));
  assert.ok(!named.allows('example.com', 443, '93.184.215.14'));
});

test('* allows everybody, none nobody', () => {
  assert.equal(rule('*').refuse('http://169.254.169.254/'), undefined);
  assert.notEqual(rule('none').refuse('https://example.com/'), undefined);
});
