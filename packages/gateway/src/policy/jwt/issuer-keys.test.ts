import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { policyLimits } from '../policy-limits.ts';
import { decideKeys, IssuerKeys, type KeyChoice, type KeysState } from './issuer-keys.ts';
import { parseKeySet } from './verification-key.ts';

const issuer = 'https://issuer.example/';
const { keysFreshMs, keysStaleMs, keysAskedEveryMs } = policyLimits;
const { publicKey } = generateKeyPairSync('ed25519');
const jwk = (kid: string): object => ({ ...publicKey.export({ format: 'jwk' }), kid });

/** An issuer whose keys the test changes, and that it can take down. */
class Rig {
  readonly clock = new VirtualClock();
  readonly fetched: string[] = [];
  readonly failures: unknown[] = [];
  keys: readonly string[] = ['a'];
  down = false;
  configuration: unknown = { issuer, jwks_uri: 'https://issuer.example/keys' };
  readonly issuerKeys: IssuerKeys;
  #release: (() => void) | undefined;
  held: Promise<void> = Promise.resolve();

  constructor(keysUrl?: string) {
    this.issuerKeys = new IssuerKeys({
      issuer,
      keysUrl,
      fetchJson: (url) => this.#fetch(url),
      monotonicMs: () => this.clock.monotonicMs(),
      onFailure: (_, error) => this.failures.push(error),
    });
  }

  /** Lets the issuer take its time, until it is released. */
  hold(): void {
    this.held = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  release(): void {
    this.#release?.();
  }

  async find(kid: string): Promise<string> {
    const choose: KeyChoice = (keys) => keys.filter(({ keyId }) => keyId === kid);
    const found = await this.issuerKeys.find(choose);
    return found === undefined ? 'unavailable' : found.map(({ keyId }) => keyId).join() || 'none';
  }

  async #fetch(url: string): Promise<unknown> {
    this.fetched.push(new URL(url).pathname);
    await this.held;
    if (this.down) throw new Error('down');
    return url.endsWith('/keys') ? { keys: this.keys.map(jwk) } : this.configuration;
  }
}

test('decideKeys() asks no more often than it may, and uses no key for ever', () => {
  const state = (fetchedMs?: number, askedMs = fetchedMs, asking = false): KeysState => {
    return { fetchedMs, askedMs, asking };
  };
  const staleMs = keysFreshMs + keysStaleMs;
  for (const [given, found, nowMs, expected] of [
    [state(), false, 0, 'wait'],
    [state(undefined, 0), false, 1, 'unavailable'],
    [state(undefined, 0, true), false, 1, 'wait'],
    [state(undefined, 0), false, keysAskedEveryMs, 'wait'],
    [state(0), true, keysFreshMs, 'use'],
    [state(0), true, keysFreshMs + 1, 'refresh'],
    [state(0, keysFreshMs), true, keysFreshMs + 1, 'use'],
    [state(0), false, 1, 'use'],
    [state(0), false, keysAskedEveryMs, 'wait'],
    [state(0, 0, true), false, 1, 'wait'],
    [state(0, staleMs), true, staleMs, 'use'],
    [state(0, staleMs), true, staleMs + 1, 'unavailable'],
    [state(0), true, staleMs + 1, 'wait'],
  ] as const) {
    assert.equal(
      decideKeys(given, found, nowMs),
      expected,
      JSON.stringify({ given, found, nowMs }),
    );
  }
});

test('keys are fetched once for all who wait, and then not for a while', async () => {
  const rig = new Rig();
  rig.hold();
  const waiting = Promise.all([rig.find('a'), rig.find('a'), rig.find('b')]);
  rig.release();
  assert.deepEqual(await waiting, ['a', 'a', 'none']);
  assert.deepEqual(rig.fetched, ['/.well-known/openid-configuration', '/keys']);
  await rig.clock.advance(keysFreshMs);
  assert.equal(await rig.find('a'), 'a');
  assert.equal(rig.fetched.length, 2);
});

test('a key that is not known is looked for at most once in a while', async () => {
  const rig = new Rig('https://issuer.example/keys');
  assert.equal(await rig.find('a'), 'a');
  rig.keys = ['b'];
  for (let i = 0; i < 100; i++) assert.equal(await rig.find(`b${i}`), 'none');
  assert.equal(await rig.find('b'), 'none');
  assert.equal(rig.fetched.length, 1);
  await rig.clock.advance(keysAskedEveryMs);
  assert.equal(await rig.find('b'), 'b');
  assert.equal(await rig.find('a'), 'none');
  assert.deepEqual(rig.fetched, ['/keys', '/keys']);
});

test('who comes with a new key while the issuer is asked gets what it answers', async () => {
  const rig = new Rig('https://issuer.example/keys');
  await rig.find('a');
  await rig.clock.advance(keysAskedEveryMs);
  rig.keys = ['a', 'b'];
  rig.hold();
  const waiting = Promise.all([rig.find('b'), rig.find('b'), rig.find('a')]);
  rig.release();
  assert.deepEqual(await waiting, ['b', 'b', 'a']);
  assert.equal(rig.fetched.length, 2);
});

test('keys serve on while the issuer is down, but not for ever', async () => {
  const rig = new Rig();
  await rig.find('a');
  rig.down = true;
  await rig.clock.advance(keysFreshMs + 1);
  assert.equal(await rig.find('a'), 'a');
  assert.equal(await rig.find('unknown'), 'none');
  await rig.clock.advance(keysStaleMs);
  assert.equal(await rig.find('a'), 'unavailable');
  rig.down = false;
  assert.equal(await rig.find('a'), 'unavailable');
  await rig.clock.advance(keysAskedEveryMs);
  assert.equal(await rig.find('a'), 'a');
  assert.ok(rig.failures.length >= 2);
});

test('an issuer that was never reached is asked again after a while', async () => {
  const rig = new Rig();
  rig.down = true;
  assert.equal(await rig.find('a'), 'unavailable');
  for (let i = 0; i < 10; i++) assert.equal(await rig.find('a'), 'unavailable');
  assert.equal(rig.fetched.length, 1);
  rig.down = false;
  await rig.clock.advance(keysAskedEveryMs);
  assert.equal(await rig.find('a'), 'a');
});

test('what describes somebody else, or nothing, gives no keys', async () => {
  const url = 'https://issuer.example/keys';
  for (const configuration of [
    { issuer: 'https://issuer.example', jwks_uri: url },
    { jwks_uri: url },
    { issuer },
    { issuer, jwks_uri: 7 },
    { issuer, jwks_uri: 'http://issuer.example/keys' },
    { issuer, jwks_uri: 'file:///keys' },
    [],
    null,
  ]) {
    const rig = new Rig();
    rig.configuration = configuration;
    assert.equal(await rig.find('a'), 'unavailable', JSON.stringify(configuration));
    assert.equal(rig.failures.length, 1);
  }
  const empty = new Rig();
  empty.keys = [];
  assert.equal(await empty.find('a'), 'unavailable');
});

test('parseKeySet() takes only keys that can verify tokens, and only what is public of them', () => {
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey;
  const koblitz = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey;
  const agreement = generateKeyPairSync('x25519').publicKey;
  const refused = [
    { kty: 'oct', k: 'c2VjcmV0', kid: 'oct' },
    small.export({ format: 'jwk' }),
    koblitz.export({ format: 'jwk' }),
    agreement.export({ format: 'jwk' }),
    { ...jwk('a'), use: 'enc' },
    { ...jwk('a'), key_ops: ['encrypt'] },
    { ...jwk('a'), alg: 'RS256' },
    { ...jwk('a'), alg: 'none' },
    { ...jwk('a'), kid: 5 },
    { ...jwk('a'), x: 'AAAA' },
    { kty: 'RSA', n: 'AQAB' },
    { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA' },
    ...[null, 'key', [], {}],
  ];
  assert.deepEqual(parseKeySet({ keys: refused }), []);
  const [key] = parseKeySet({ keys: [...refused, { ...jwk('a'), use: 'sig', d: 'AAAA' }] }) ?? [];
  assert.deepEqual(key?.algorithms, ['EdDSA', 'Ed25519']);
  assert.equal(key?.key.type, 'public');
  for (const value of [null, [], {}, { keys: {} }, 'keys']) {
    assert.equal(parseKeySet(value), undefined);
  }
  const many = Array.from({ length: 100 }, (_, i) => jwk(`${i}`));
  assert.equal(parseKeySet({ keys: many })?.length, policyLimits.issuerKeysMax);
});
