/** Compares what was sent with what arrived. */
import assert from 'node:assert/strict';
import type { DeliveryPolicy } from '@fnlet/api';
import type { DeadLetter } from '../src/dead-letters/dead-letters.ts';

/** What the world outside saw of an event; times as the target's clock told them. */
export interface SentEvent {
  readonly id: string;
  readonly key: string | undefined;
  readonly isPoison: boolean;
  readonly starts: number[];
  readonly successes: number[];
  readonly failures: number[];
}

export interface DeliveryCheck {
  readonly letters: readonly DeadLetter[];
  /** How often the process ended. */
  readonly crashes: number;
  readonly policy: DeliveryPolicy;
}

/** @param sent in the order in which they were sent */
export function checkDeliveries(sent: readonly SentEvent[], check: DeliveryCheck): void {
  const { letters, policy, crashes } = check;
  const dead = new Map(letters.map((letter) => [letter.event.attributes.id, letter]));
  assert.equal(dead.size, letters.length, 'an event is a dead letter twice');
  for (const [place, event] of sent.entries()) {
    const letter = dead.get(event.id);
    const { id, key, successes, isPoison } = event;
    assert.ok(!isPoison || successes.length === 0, `the target took event ${id}, which is poison`);
    // A newer one of its key may have come instead.
    const isVoidable = policy.coalesce === true && key !== undefined;
    const isVoid = isVoidable && sent.slice(place + 1).some((other) => other.key === key);
    assert.ok(successes.length > 0 || letter !== undefined || isVoid, `event ${id} is lost`);
    if (letter !== undefined) checkCause(event, letter, policy);
    assert.ok(successes.length <= 1 + crashes, `event ${id} came ${successes.length} times`);
  }
  if (policy.orderingKey !== undefined) checkOrder(sent, policy);
}

/** No dead letter without what it says having happened. */
function checkCause(event: SentEvent, { cause }: DeadLetter, policy: DeliveryPolicy): void {
  const { retry = 10 } = policy;
  const told = `event ${event.id} is dead after ${cause.attempts} tries: ${cause.reason}`;
  assert.ok(event.failures.length >= cause.attempts, `${told}, ${event.failures.length} failed`);
  // A batch that fails is one try more.
  const most = retry + (policy.batch === undefined ? 1 : 2);
  assert.ok(cause.attempts >= 1 && cause.attempts <= most, told);
  if (cause.reason === 'Exhausted') assert.ok(cause.attempts > retry, told);
  else assert.ok(cause.reason === 'Refused' && cause.code === 400 && event.isPoison, told);
}

/** After an event was taken none comes that was sent before it with the same key. */
function checkOrder(sent: readonly SentEvent[], policy: DeliveryPolicy): void {
  const keys = new Set(sent.flatMap(({ key }) => (key === undefined ? [] : [key])));
  for (const key of keys) {
    const events = sent.filter((event) => event.key === key);
    for (const [place, event] of events.entries()) {
      const [firstMs = Number.POSITIVE_INFINITY] = event.successes;
      for (const before of events.slice(0, place)) {
        const lateMs = timesOf(before, policy).find((startMs) => startMs > firstMs);
        if (lateMs === undefined) continue;
        const told = `event ${before.id} came after ${event.id} of its key`;
        assert.ok(policy.coalesce === true && isNewestLast(events.slice(place), lateMs), told);
      }
    }
  }
}

/** The times of an event that tell about order: a batch may come again as a whole. */
function timesOf({ starts, successes }: SentEvent, { batch }: DeliveryPolicy): readonly number[] {
  return batch === undefined ? starts : successes.slice(0, 1);
}

/** With coalesce a crash may bring an older event back, but then a newer one comes again, too. */
function isNewestLast(newer: readonly SentEvent[], lateMs: number): boolean {
  return newer.some(({ starts }) => starts.some((startMs) => startMs > lateMs));
}
