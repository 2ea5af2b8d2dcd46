import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '@fnlet/base';
import { resolveConfig, settings } from './config.ts';

test('resolveConfig() gives the documented defaults', () => {
  assert.deepEqual(resolveConfig({ flags: {}, env: {} }), {
    dataDirectory: './.fnlet',
    host: '127.0.0.1',
    apiPort: 7443,
    httpPort: 8080,
    httpsPort: undefined,
    dashboardPort: 7080,
    bodyBytesMax: 6 * 1024 * 1024,
    trustedProxies: '0',
    accessLog: 'off',
    eventsLog: 'lmdb',
    kubelessKafka: 'kafka.kubeless:9092',
    kubelessNats: 'nats://nats.nats-io.svc.cluster.local:4222',
    callbackHosts: 'public',
    allowHostCommands: false,
    clusterOnly: false,
    logLevel: 'info',
  });
});

test('resolveConfig() prefers a flag to the environment', () => {
  const env = { FNLET_API_PORT: '1', FNLET_HTTP_PORT: '2', FNLET_BODY_LIMIT: '' };
  const config = resolveConfig({ flags: { 'api-port': '0' }, env });
  assert.deepEqual([config.apiPort, config.httpPort], [0, 2]);
});

test('resolveConfig() takes a port for TLS, or off', () => {
  const port = (text: string): number | undefined =>
    resolveConfig({ flags: { 'https-port': text }, env: { FNLET_HTTPS_PORT: '1' } }).httpsPort;
  assert.deepEqual([port('8443'), port('0'), port('off')], [8443, 0, undefined]);
});

test('resolveConfig() names the source, the finding and the expectation', () => {
  const cases: [Record<string, string>, RegExp][] = [
    [{ 'api-port': '70000' }, /--api-port: found "70000", expected a port/],
    [{ 'http-port': '1e3' }, /--http-port: found "1e3"/],
    [{ 'https-port': 'on' }, /--https-port: found "on", expected a port/],
    [{ 'body-limit': '6MB' }, /--body-limit: found "6MB", expected a size/],
    [{ 'log-level': 'loud' }, /expected debug, info, warn, error/],
    [{ host: ' ' }, /--host/],
    [{ 'allow-host-commands': 'yes' }, /found "yes", expected true or false/],
  ];
  for (const [flags, message] of cases) {
    assert.throws(
      () => resolveConfig({ flags, env: {} }),
      (error) => hasCode(error, 'InvalidConfig') && message.test(error.message),
    );
  }
});

test('settings have distinct flags and variables', () => {
  const all = Object.values(settings);
  assert.equal(new Set(all.map(({ flag }) => flag)).size, all.length);
  assert.equal(new Set(all.map(({ env }) => env)).size, all.length);
});
