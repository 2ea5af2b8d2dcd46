import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JetStreamHealth } from '@fnlet/store/log';
import { judgeNats, type NatsFact } from './nats-health.ts';

const well: Extract<JetStreamHealth, { readonly kind: 'jetStream' }> = {
  ...{
    kind: 'jetStream',
    version: '2.11.4',
    durability: 'flushed',
    found: 'sync_interval: always',
  },
  replicasWanted: 3,
  stream: { name: 'fnlet-log', replicas: 3, current: 3, isLed: true },
  storage: { usedBytes: 1_048_576, bytesMax: null },
};

/** What is not well, with what is to be done about it. */
function troubleOf(fact: NatsFact): readonly string[] {
  return judgeNats(fact)
    .filter(({ state }) => state !== 'ok')
    .map(({ check, state, found, remedy }) => `${state} ${check}: ${found}. ${remedy}`);
}

function troubled(changes: Partial<typeof well>): string {
  const found = troubleOf({ kind: 'told', health: { ...well, ...changes } });
  assert.equal(found.length, 1, found.join('\n'));
  return found.join('');
}

test('judgeNats() says that all is well', () => {
  const findings = judgeNats({ kind: 'told', health: well });
  assert.deepEqual(
    findings.map(({ check, state }) => `${state} ${check}`),
    ['ok NATS', 'ok NATS durability', 'ok NATS replicas', 'ok NATS storage'],
  );
  assert.deepEqual(troubleOf({ kind: 'told', health: { ...well, stream: null } }), []);
  assert.deepEqual(troubleOf({ kind: 'notAsked' }), []);
});

test('judgeNats() fails where no event is taken', () => {
  const away = { kind: 'unreachable', message: 'connection refused' } as const;
  const [lost] = troubleOf({ kind: 'told', health: away });
  assert.match(lost ?? '', /^fail NATS: not reached: connection refused\. .*events\.logSecret/);
  const off = { kind: 'noJetStream', version: '2.11.4', message: 'no responders' } as const;
  assert.match(troubleOf({ kind: 'told', health: off }).join(''), /^fail NATS: .*jetstream block/);
  const stream = { name: 'fnlet-log', replicas: 3, current: 1, isLed: false };
  assert.match(troubled({ stream }), /^fail NATS replicas: 1 of 3 .* none leads it/);
});

test('judgeNats() warns of what may be lost', () => {
  const found = 'a server that flushes every 120 s';
  const alone = troubled({ durability: 'eventuallyFlushed', found });
  assert.match(alone, /^warn NATS durability: .* lost when the power fails: .*sync_interval/);
  assert.match(troubled({ durability: 'replicated', found }), /power of most servers/);
  const stream = { name: 'fnlet-log', replicas: 3, current: 2, isLed: true };
  assert.match(troubled({ stream }), /^warn NATS replicas: 2 of 3/);
  assert.match(
    troubled({ stream: { ...stream, replicas: 1, current: 1 } }),
    /^warn NATS replicas: 1 of 1 .* asked for 3/,
  );
  const storage = { usedBytes: 95 * 1_048_576, bytesMax: 100 * 1_048_576 };
  assert.match(troubled({ storage }), /^warn NATS storage: 95 MiB used of 100/);
});

test('judgeNats() says that nobody looked', () => {
  const found = troubleOf({ kind: 'untold', message: 'the server is not there' });
  assert.match(found.join(''), /^warn NATS: not looked at: the server is not there/);
});
