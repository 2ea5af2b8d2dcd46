import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashSync } from 'bcryptjs';
import { BcryptChecks } from './bcrypt-checks.ts';
import { policyLimits } from './policy-limits.ts';

test('check() knows what crypt_blowfish makes, in each of its forms', async () => {
  const checks = new BcryptChecks();
  const cases = [
    // From the tests of crypt_blowfish 1.3.
    ['U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', true],
    ['U*U*', '$2y$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK', true],
    ['U*U', '$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', true],
    ['U*U*', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', false],
    ['pässwörd', hashSync('pässwörd', 4), true],
    ['', hashSync('pässwörd', 4), false],
  ] as const;
  const verdicts = await Promise.all(cases.map(([given, hash]) => checks.check(given, hash)));
  assert.deepEqual(
    verdicts,
    cases.map(([, , expected]) => expected),
  );
});

test('check() takes no more at once than may wait, and goes on once they are through', async () => {
  const checks = new BcryptChecks();
  const hash = hashSync('secret', 4);
  const max = policyLimits.bcryptChecksMax;
  const taken = Array.from({ length: max }, () => checks.check('secret', hash));
  assert.equal(checks.check('secret', hash), undefined);
  assert.deepEqual(await Promise.all(taken), new Array(max).fill(true));
  assert.equal(await checks.check('other', hash), false);
  assert.equal(await checks.check('secret', hash), true);
});

test('check() rejects what cannot be checked, and only what waited with it', async () => {
  const checks = new BcryptChecks();
  await assert.rejects(async () => checks.check('secret', '$2b$99$'.padEnd(60, 'a')), /rounds/);
  assert.equal(await checks.check('secret', hashSync('secret', 4)), true);
});
