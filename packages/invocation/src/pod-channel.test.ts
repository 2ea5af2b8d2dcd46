import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type PodCommand, parsePodCommand } from './pod-channel.ts';

const digest = 'a'.repeat(64);

const specialise = {
  type: 'specialise',
  specialisation: {
    namespace: 'demo',
    function: 'hello',
    revision: 'hello-1',
    instance: 'hello-1-abcde',
    runtime: 'nodejs24',
    handler: 'default',
    env: { A: '1' },
    limits: { timeoutMs: 1000, bodyBytesMax: 1, drainMs: 0 },
  },
  artifact: { source: { digest, inline: '' } },
} satisfies PodCommand;

test('parsePodCommand() reads what is a command', () => {
  assert.deepEqual(parsePodCommand(specialise), specialise);
  const dependencies = { digest, folder: 'node_modules' };
  const more = { ...specialise, artifact: { source: { digest }, dependencies } };
  assert.deepEqual(parsePodCommand(more), more);
  assert.deepEqual(parsePodCommand({ type: 'drain' }), { type: 'drain' });
  assert.deepEqual(parsePodCommand({ type: 'rehearse' }), { type: 'rehearse' });
});

test('parsePodCommand() takes no directory of the owner, no digest that is none', () => {
  const { specialisation } = specialise;
  const local = { ...specialise, specialisation: { ...specialisation, sourceDirectory: '/etc' } };
  assert.deepEqual(parsePodCommand(local), specialise);
  for (const wrong of ['', '../../etc', 'A'.repeat(64), `${digest}0`, 42, undefined]) {
    const source = { digest: wrong };
    assert.equal(parsePodCommand({ ...specialise, artifact: { source } }), undefined);
    const dependencies = { digest: wrong, folder: 'node_modules' };
    const artifact = { source: { digest }, dependencies };
    assert.equal(parsePodCommand({ ...specialise, artifact }), undefined);
  }
  const artifact = { source: { digest }, dependencies: { digest, folder: '..' } };
  assert.equal(parsePodCommand({ ...specialise, artifact }), undefined);
  assert.equal(parsePodCommand({ ...specialise, artifact: undefined }), undefined);
  assert.equal(parsePodCommand({ ...specialise, specialisation: {} }), undefined);
});

test('parsePodCommand() never throws', () => {
  fc.assert(fc.property(fc.anything(), (value) => void parsePodCommand(value)));
});
