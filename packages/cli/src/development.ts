import { developmentUntilAnnotation, type FunctionObject } from '@fnlet/api';
import { type Clock, sleep } from '@fnlet/base';
import type { ResourceClient } from '@fnlet/client';
import type { ObjectKey } from '@fnlet/machinery';
import { developmentMs, developmentRenewMs } from './limits.ts';

/** A Function whose code somebody works on. */
export interface Developed {
  readonly functions: Pick<ResourceClient<FunctionObject>, 'patch'>;
  readonly key: ObjectKey;
  readonly clock: Clock;
}

/**
 * Whether an end (RFC 3339) has to be put off now: one that was put off since the last renewal was
 * due is far enough, so that an edit costs no write of its own for it.
 */
export function isSoon(until: string | undefined, now: number): boolean {
  const leftMs = until === undefined ? Number.NaN : Date.parse(until) - now;
  return !(leftMs >= developmentMs - developmentRenewMs);
}

/** Says until when its code is being worked on: who is killed does not take it back. */
export async function putOffDevelopmentEnd(
  { functions, key, clock }: Developed,
  signal: AbortSignal,
): Promise<void> {
  const until = new Date(clock.now() + developmentMs).toISOString();
  const patch = { metadata: { annotations: { [developmentUntilAnnotation]: until } } };
  await functions.patch(key, { type: 'merge', patch }, { signal });
}

/** Says that nobody works on it. */
export async function endDevelopment(
  { functions, key }: Pick<Developed, 'functions' | 'key'>,
  signal: AbortSignal,
): Promise<void> {
  const annotations = { [developmentUntilAnnotation]: null };
  const patch = { metadata: { annotations }, spec: { development: null } };
  await functions.patch(key, { type: 'merge', patch }, { signal });
}

/**
 * Puts the end off again and again, until `signal` aborts. An API that is away is asked again in
 * time; a Function that was deleted has nothing to put off.
 */
export async function keepDeveloped(
  developed: Developed,
  isMarked: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await sleep(developed.clock, developmentRenewMs, signal);
    if (signal.aborted) return;
    // The next time is soon enough for whatever was in the way.
    if (isMarked()) await putOffDevelopmentEnd(developed, signal).catch(() => {});
  }
}
