import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { isSigned, type SignatureScheme, type SignedRequest } from './webhook-signature.ts';

const secret = 'a secret';
const body = Buffer.from('{"a":1}');
const nowMs = 1_700_000_000_000;
const seconds = String(nowMs / 1_000);

function digest(text: string, encoding: 'hex' | 'base64' = 'hex', algorithm = 'sha256'): string {
  return createHmac(algorithm, secret).update(text).digest(encoding);
}

const hmac: SignatureScheme = {
  ...{ kind: 'hmac', header: 'x-signature', prefix: 'sha512=' },
  ...{ algorithm: 'sha512', encoding: 'base64' },
};

/** What each scheme's sender writes for `body`. */
const signed: readonly (readonly [SignatureScheme, SignedRequest['headers']])[] = [
  [{ kind: 'github' }, { 'x-hub-signature-256': `sha256=${digest(`${body}`)}` }],
  [{ kind: 'gitea' }, { 'x-gitea-signature': digest(`${body}`) }],
  [{ kind: 'gitlab' }, { 'x-gitlab-token': secret }],
  [
    { kind: 'stripe' },
    { 'stripe-signature': `t=${seconds},v1=00,v1=${digest(`${seconds}.${body}`)},v0=x` },
  ],
  [
    { kind: 'slack' },
    {
      'x-slack-request-timestamp': seconds,
      'x-slack-signature': `v0=${digest(`v0:${seconds}:${body}`)}`,
    },
  ],
  [hmac, { 'x-signature': `sha512=${digest(`${body}`, 'base64', 'sha512')}` }],
];

test('isSigned() believes what each sender signs, and nothing that differs in anything', () => {
  for (const [scheme, headers] of signed) {
    const ask = (request: Partial<SignedRequest>, key = secret): boolean =>
      isSigned({ headers, body, ...request }, { scheme, secret: key }, nowMs);
    assert.ok(ask({}), scheme.kind);
    assert.ok(!ask({ headers: {} }), scheme.kind);
    assert.ok(!ask({}, 'another'), scheme.kind);
    assert.ok(!ask({}, ''), scheme.kind);
    if (scheme.kind !== 'gitlab') assert.ok(!ask({ body: Buffer.from('{"a":2}') }), scheme.kind);
    const twice = Object.entries(headers).map(([name, value]) => [name, [value, value]]);
    assert.ok(!ask({ headers: Object.fromEntries(twice) }), scheme.kind);
  }
});

test('isSigned() believes the example of Standard Webhooks, also as GitLab sends it', () => {
  const request = {
    body: Buffer.from('{"test": 2432232314}'),
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
  };
  const key = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  for (const kind of ['standard', 'gitlab'] as const) {
    const signature = { scheme: { kind }, secret: key, toleranceMs: 1_000 };
    assert.ok(isSigned(request, signature, 1_614_265_331_000));
    assert.ok(!isSigned(request, signature, 1_614_265_332_000));
  }
});

test('isSigned() takes no secret for a key that is none', () => {
  const signed = createHmac('sha256', '').update(`msg.${seconds}.`).update(body);
  const headers = {
    'webhook-id': 'msg',
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${signed.digest('base64')}`,
  };
  for (const kind of ['standard', 'gitlab'] as const) {
    for (const key of ['whsec_', '***']) {
      const signature = { scheme: { kind }, secret: key };
      assert.ok(!isSigned({ headers, body }, signature, nowMs), `${kind} ${key}`);
    }
  }
});

test('isSigned() believes no time that is too far away, and none that is no number', () => {
  const toleranceMs = 300_000;
  for (const [scheme, headers] of signed) {
    if (scheme.kind !== 'stripe' && scheme.kind !== 'slack') continue;
    const at = (timeMs: number): boolean =>
      isSigned({ headers, body }, { scheme, secret, toleranceMs }, timeMs);
    assert.ok(at(nowMs + toleranceMs));
    assert.ok(at(nowMs - toleranceMs));
    assert.ok(!at(nowMs + toleranceMs + 1));
    assert.ok(!at(nowMs - toleranceMs - 1));
  }
  const headers = {
    'x-slack-request-timestamp': 'soon',
    'x-slack-signature': `v0=${digest(`v0:soon:${body}`)}`,
  };
  const signature = { scheme: { kind: 'slack' }, secret, toleranceMs } as const;
  assert.ok(!isSigned({ headers, body }, signature, nowMs));
});

test('isSigned() takes whatever comes for an answer', () => {
  const names = ['stripe-signature', 'x-slack-signature', 'webhook-signature', 'x-signature'];
  const headers = fc.dictionary(fc.constantFrom(...names), fc.string());
  const scheme = fc.constantFrom(...signed.map(([each]) => each));
  fc.assert(
    fc.property(headers, fc.uint8Array(), scheme, (given, bytes, each) => {
      assert.equal(isSigned({ headers: given, body: bytes }, { scheme: each, secret }, 0), false);
    }),
  );
});
