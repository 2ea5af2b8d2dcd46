import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideWebhookTerms } from './webhook-terms.ts';

const here = { server: 'https://127.0.0.1:7443', namespace: 'apps' };
const elsewhere = { server: 'https://10.0.0.1:6443', namespace: 'apps' };

test('with the API on this machine, webhooks are served on it only, at a free port', () => {
  for (const server of ['https://127.0.0.1:7443', 'https://localhost:1', 'https://[::1]:6443']) {
    const { host, port, endpointAt } = decideWebhookTerms({}, { ...here, server });
    assert.deepEqual([host, port], ['127.0.0.1', 0]);
    assert.deepEqual(endpointAt(4711), { url: 'https://127.0.0.1:4711' });
  }
  assert.equal(decideWebhookTerms({ port: 9000 }, here).port, 9000);
});

test('an API elsewhere reaches them through a Service or a URL, and through nothing else', () => {
  const service = decideWebhookTerms({ service: 'sites' }, elsewhere);
  assert.deepEqual([service.host, service.port], [undefined, 9443]);
  assert.deepEqual(service.endpointAt(9443), {
    service: { namespace: 'apps', name: 'sites', port: 443 },
  });
  const other = decideWebhookTerms({ service: 'web/sites', port: 8443 }, elsewhere);
  assert.deepEqual(
    [other.port, other.endpointAt(8443)],
    [8443, { service: { namespace: 'web', name: 'sites', port: 443 } }],
  );
  const url = decideWebhookTerms({ url: 'https://dev.example.com:8443' }, elsewhere);
  assert.deepEqual(
    [url.port, url.endpointAt(8443)],
    [8443, { url: 'https://dev.example.com:8443' }],
  );
  assert.equal(decideWebhookTerms({ url: 'https://dev.example.com' }, elsewhere).port, 443);
  assert.throws(() => decideWebhookTerms({}, elsewhere), {
    message:
      'Cannot serve webhooks: found the API at https://10.0.0.1:6443, expected a word on how it ' +
      'reaches this process',
  });
});

test('a URL that is none of a server is refused', () => {
  for (const url of ['dev.example.com', 'http://dev.example.com', 'https://dev.example.com/a']) {
    assert.throws(() => decideWebhookTerms({ url }, elsewhere), /expected https:\/\/host:port/);
  }
});
