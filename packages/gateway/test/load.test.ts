/** Whether the Gateway has much to do, as it tells the process around it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { fixedLimits } from '../src/limits.ts';
import { startRig } from './rig.ts';

const { busyCallsPerSecond, quietSeconds } = fixedLimits;

function requests(count: number): string {
  const head = 'GET /nobody/there HTTP/1.1\r\nHost: x\r\n';
  return `${`${head}\r\n`.repeat(count - 1)}${head}Connection: close\r\n\r\n`;
}

test('many calls a second are told of, and that they are no more when it was quiet', async (t) => {
  const clock = new VirtualClock();
  const told: boolean[] = [];
  const onLoad = (isBusy: boolean): void => void told.push(isBusy);
  const rig = await startRig(t, { clock, gateway: { onLoad } });
  await rig.exchange(requests(busyCallsPerSecond - 1));
  await clock.advance(1000);
  assert.deepEqual(told, []);
  await rig.exchange(requests(busyCallsPerSecond));
  await clock.advance(1000);
  assert.deepEqual(told, [true]);
  await clock.advance((quietSeconds - 1) * 1000);
  assert.deepEqual(told, [true]);
  await clock.advance(1000);
  assert.deepEqual(told, [true, false]);
});

test('calls from within the process count as well', async (t) => {
  const clock = new VirtualClock();
  const told: boolean[] = [];
  const onLoad = (isBusy: boolean): void => void told.push(isBusy);
  const { gateway } = await startRig(t, { clock, gateway: { onLoad } });
  const nobody = { namespace: 'nobody', function: 'there' };
  const call = { ...nobody, method: 'GET', target: '/', headers: [], body: new Uint8Array() };
  const bounds = { answerBytesMax: 1024, timeoutMs: 1000, remoteAddress: '127.0.0.1' };
  const never = new AbortController().signal;
  for (let n = 0; n < busyCallsPerSecond; n++) await gateway.invoke({ ...call, ...bounds }, never);
  await clock.advance(1000);
  assert.deepEqual(told, [true]);
});
