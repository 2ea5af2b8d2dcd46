import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { isSignedWebhook } from './is-signed-webhook.ts';

const secret = "It's a Secret to Everybody";
const body = Buffer.from('Hello, World!');
// docs.github.com, "Validating webhook deliveries": the example to test an implementation with.
const hex = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';

// The example of the Standard Webhooks specification, whose form GitLab's signing token has.
const standard = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  body: Buffer.from('{"test": 2432232314}'),
  headers: {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
};

test('isSignedWebhook() believes what GitHub, Gitea and Forgejo sign', () => {
  for (const headers of [
    { 'x-hub-signature-256': `sha256=${hex}` },
    { 'x-gitea-signature': hex },
    { 'x-forgejo-signature': hex, 'x-gitea-signature': hex },
  ]) {
    assert.ok(isSignedWebhook({ headers, body }, secret));
    assert.ok(!isSignedWebhook({ headers, body: Buffer.from('Hello, World?') }, secret));
    assert.ok(!isSignedWebhook({ headers, body }, 'another secret'));
  }
});

test('isSignedWebhook() believes both ways of GitLab', () => {
  const { headers, body: signed, secret: key } = standard;
  assert.ok(isSignedWebhook({ headers, body: signed }, key));
  const rotated = `v1,AAAA ${headers['webhook-signature']}`;
  assert.ok(
    isSignedWebhook({ headers: { ...headers, 'webhook-signature': rotated }, body: signed }, key),
  );
  assert.ok(!isSignedWebhook({ headers: { ...headers, 'webhook-id': 'x' }, body: signed }, key));
  assert.ok(isSignedWebhook({ headers: { 'x-gitlab-token': secret }, body }, secret));
  assert.ok(!isSignedWebhook({ headers: { 'x-gitlab-token': 'wrong' }, body }, secret));
});

test('isSignedWebhook() believes nothing without a signature, and nothing without a secret', () => {
  assert.ok(!isSignedWebhook({ headers: {}, body }, secret));
  assert.ok(!isSignedWebhook({ headers: { 'x-gitlab-token': '' }, body }, ''));
  const empty = createHmac('sha256', '').update(body).digest('hex');
  assert.ok(!isSignedWebhook({ headers: { 'x-gitea-signature': empty }, body }, ''));
});

test('isSignedWebhook() is not talked out of a wrong signature by a weaker one', () => {
  const headers = { 'x-hub-signature-256': 'sha256=00', 'x-gitlab-token': secret };
  assert.ok(!isSignedWebhook({ headers, body }, secret));
});
