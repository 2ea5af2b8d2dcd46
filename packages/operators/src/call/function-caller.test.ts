import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import type { Invocation } from '@fnlet/invocation';
import { CallGate } from './call-gate.ts';
import { CallRoom } from './call-room.ts';
import { createFunctionCaller } from './function-caller.ts';
import { Quarantine } from './quarantine.ts';

test('an answer is waited for longer than a Runner takes, so that one that is stuck is found', async () => {
  const clock = new VirtualClock();
  const sent: Invocation[] = [];
  const caller = createFunctionCaller({
    ...{ namespace: 'default', function: 'sites', clock, payloadBytesMax: 1000 },
    invoke: async (invocation) => {
      sent.push(invocation);
      return { kind: 'answered', status: 200, headers: [], body: Buffer.of(), truncated: false };
    },
    gate: new CallGate({ clock, rate: undefined }),
    quarantine: new Quarantine(clock),
    room: new CallRoom(clock),
  });
  const { signal } = new AbortController();
  await caller.call('{}', { who: 'a', timeoutMs: 10_000, signal });
  // The Gateway knows after the timeout of the Function, which is the deadline, and 750 ms.
  assert.ok((sent[0]?.timeoutMs ?? 0) >= 11_000, `${sent[0]?.timeoutMs} ms`);
});
