/** Users with passwords by bcrypt, as the clients of a route see it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger, VirtualClock } from '@fnlet/base';
import { hashSync } from 'bcryptjs';
import { RoutePolicies } from '../../src/policies.ts';
import { policyLimits } from '../../src/policy/policy-limits.ts';
import type { RoutePolicy } from '../../src/policy/route-policy.ts';
import { outcome, request } from './request.ts';

const users = new Map([
  ['ann', hashSync('secret', 4)],
  ['bob', '{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ='],
]);
const refused = '401 Unauthenticated';

function policyOf(given: ReadonlyMap<string, string>): RoutePolicy {
  const fetchJson = (): Promise<never> => Promise.reject(new Error('nobody is asked'));
  const clock = new VirtualClock(0);
  const policies = new RoutePolicies({ clock, logger: silentLogger, fetchJson });
  const methods = [{ kind: 'basic' as const, realm: 'shop', users: given }];
  return policies.make('t', { auth: { methods, anonymous: false, forwardCredentials: false } });
}

function login(policy: RoutePolicy, credentials: string, address = '192.0.2.1'): Promise<string> {
  return outcome(policy, request([`Authorization: Basic ${btoa(credentials)}`], { address }));
}

test('bcrypt users: the matrix', async () => {
  const policy = policyOf(users);
  for (const [credentials, expected] of [
    ['ann:secret', '200 X-Fnlet-Auth=basic X-Fnlet-Consumer=ann'],
    ['bob:secret', '200 X-Fnlet-Auth=basic X-Fnlet-Consumer=bob'],
    ['ann:Secret', refused],
    ['ann:', refused],
    ['eve:secret', refused],
    [`ann:${users.get('ann')}`, refused],
  ] as const) {
    assert.equal(await login(policy, credentials), expected, credentials);
    assert.equal(await login(policy, credentials), expected, `${credentials}, again`);
  }
});

test('who is being checked is checked once, and then known at once', async () => {
  const policy = policyOf(users);
  const calls = Array.from({ length: 50 }, () => login(policy, 'ann:secret'));
  for (const each of await Promise.all(calls)) assert.match(each, /^200 /);
  const verdict = policy.admit(request([`Authorization: Basic ${btoa('ann:secret')}`]));
  assert.ok(!(verdict instanceof Promise));
});

test('a client that guesses many at once is refused unheard after ten', async () => {
  const policy = policyOf(users);
  const guesses = Array.from({ length: 12 }, (_, guess) => login(policy, `ann:${guess}`));
  const told = await Promise.all(guesses);
  assert.deepEqual(told.slice(0, 10), new Array(10).fill(refused));
  assert.deepEqual(told.slice(10), new Array(2).fill('429 TooManyFailures'));
  assert.equal(await login(policy, 'ann:secret'), '429 TooManyFailures');
  assert.match(await login(policy, 'ann:secret', '192.0.2.2'), /^200 /);
});

test('of too many clients at once some are told to come again, and lose no guess', async () => {
  const policy = policyOf(users);
  const max = policyLimits.bcryptChecksMax;
  const calls = Array.from({ length: max + 3 }, (_, client) =>
    login(policy, `ann:${client}`, `198.51.100.${client}`),
  );
  const told = await Promise.all(calls);
  assert.deepEqual(told.slice(max), new Array(3).fill('503 PasswordsBusy'));
  for (let again = 0; again < 10; again++) {
    assert.equal(await login(policy, `ann:${again}`, `198.51.100.${max}`), refused);
  }
});

test('names that nobody has are checked as long as those of the others', async () => {
  const slow = policyOf(new Map([['ann', hashSync('secret', 4)]]));
  const verdict = slow.admit(request([`Authorization: Basic ${btoa('eve:x')}`]));
  assert.ok(verdict instanceof Promise);
  assert.equal((await verdict).kind, 'refusal');
});
