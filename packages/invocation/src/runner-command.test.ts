import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseRunnerCommand } from './runner-command.ts';
import type { RunnerCommand } from './specialisation.ts';

const specialise = {
  type: 'specialise',
  specialisation: {
    namespace: 'demo',
    function: 'hello',
    revision: 'hello-1',
    instance: 'hello-1-abcde',
    runtime: 'nodejs24',
    sourceDirectory: '/source',
    handler: 'default',
    env: { A: '1' },
    limits: { timeoutMs: 1000, bodyBytesMax: 1, drainMs: 0 },
  },
} satisfies RunnerCommand;

test('parseRunnerCommand() reads what is a command', () => {
  assert.deepEqual(parseRunnerCommand(specialise), specialise);
  const kyma = {
    ...specialise,
    specialisation: { ...specialise.specialisation, compatibility: 'kyma' },
  };
  assert.deepEqual(parseRunnerCommand(kyma), kyma);
  assert.deepEqual(parseRunnerCommand({ type: 'drain' }), { type: 'drain' });
  assert.deepEqual(parseRunnerCommand({ type: 'rehearse' }), { type: 'rehearse' });
});

test('parseRunnerCommand() takes nothing with a field missing or of another type', () => {
  const { specialisation } = specialise;
  for (const field of Object.keys(specialisation)) {
    for (const value of [undefined, 42, null, [], '']) {
      const isText = typeof Reflect.get(specialisation, field) === 'string';
      if (value === '' && isText) continue;
      const broken = { ...specialise, specialisation: { ...specialisation, [field]: value } };
      assert.equal(parseRunnerCommand(broken), undefined, `${field}: ${JSON.stringify(value)}`);
    }
  }
  const limits = { ...specialisation.limits, timeoutMs: -1 };
  const negative = { ...specialise, specialisation: { ...specialisation, limits } };
  assert.equal(parseRunnerCommand(negative), undefined);
  const endless = { ...specialisation.limits, memoryBytesMax: 'all' };
  const unbounded = { ...specialise, specialisation: { ...specialisation, limits: endless } };
  assert.equal(parseRunnerCommand(unbounded), undefined);
  const unknown = { ...specialise, specialisation: { ...specialisation, compatibility: 'other' } };
  assert.equal(parseRunnerCommand(unknown), undefined);
  const env = { A: 1 };
  assert.equal(
    parseRunnerCommand({ ...specialise, specialisation: { ...specialisation, env } }),
    undefined,
  );
});

test('parseRunnerCommand() never throws', () => {
  fc.assert(fc.property(fc.anything(), (value) => void parseRunnerCommand(value)));
});
