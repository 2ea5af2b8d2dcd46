import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identifyCaller, parseFrontProxyTerms } from './front-proxy.ts';

const data = {
  'client-ca-file': 'CLIENTS',
  'requestheader-client-ca-file': 'PROXY',
  'requestheader-allowed-names': '["front-proxy-client"]',
  'requestheader-username-headers': '["X-Remote-User"]',
  'requestheader-group-headers': '["X-Remote-Group"]',
  'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
};
const peer = { isTrusted: true, commonName: 'front-proxy-client' };
const headers = {
  'x-remote-user': ['ada'],
  'x-remote-group': ['devs', 'system:authenticated'],
  'x-remote-extra-example.org%2fteam': ['shop'],
};

test('identifyCaller() takes the user from the headers of the API server', () => {
  const terms = parseFrontProxyTerms(data);
  assert.equal(terms.caPem, 'PROXY');
  assert.deepEqual(identifyCaller(terms, peer, headers), {
    name: 'ada',
    groups: ['devs', 'system:authenticated'],
    extra: { 'example.org/team': ['shop'] },
  });
});

test('identifyCaller() believes nobody else', () => {
  const terms = parseFrontProxyTerms(data);
  const ask = (other: Partial<typeof peer>): unknown =>
    identifyCaller(terms, { ...peer, ...other }, headers);
  assert.equal(ask({ isTrusted: false }), undefined);
  assert.equal(ask({ commonName: 'admin' }), undefined);
  assert.equal(
    identifyCaller(terms, { isTrusted: true, commonName: undefined }, headers),
    undefined,
  );
  assert.equal(identifyCaller(terms, peer, { 'x-remote-group': ['system:masters'] }), undefined);
  assert.equal(identifyCaller(terms, peer, { 'x-remote-user': [''] }), undefined);
});

test('identifyCaller() takes any name where none is said, but no other authority', () => {
  const terms = parseFrontProxyTerms({ ...data, 'requestheader-allowed-names': '[]' });
  assert.equal(identifyCaller(terms, { ...peer, commonName: 'x' }, headers)?.name, 'ada');
  assert.equal(identifyCaller(terms, { isTrusted: false, commonName: 'x' }, headers), undefined);
});

test('parseFrontProxyTerms() refuses what would let anybody say who they are', () => {
  const refused = [
    undefined,
    {},
    { ...data, 'requestheader-client-ca-file': ' ' },
    { ...data, 'requestheader-username-headers': '[]' },
    { ...data, 'requestheader-allowed-names': 'front-proxy-client' },
    { ...data, 'requestheader-group-headers': '{}' },
  ];
  for (const found of refused) {
    assert.throws(() => parseFrontProxyTerms(found), { code: 'NoFrontProxy' });
  }
});
