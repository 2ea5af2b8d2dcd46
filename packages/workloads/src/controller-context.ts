import type { Clock, Logger, Random } from '@fnlet/base';
import type { Cache, Client } from '@fnlet/client';
import type { EventRecorder } from '@fnlet/reconcile';
import type { Pod } from './pod.ts';
import type { PodControl } from './pod-control.ts';

/** What every controller of this room is given. */
export interface ControllerContext {
  readonly client: Client;
  readonly pods: Cache<Pod>;
  readonly podControl: PodControl;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** The delay until a time, as a reconcile's answer. */
export function requeueAt(
  { clock }: Pick<ControllerContext, 'clock'>,
  atMs: number | undefined,
): { readonly requeueAfterMs: number } | undefined {
  return atMs === undefined ? undefined : { requeueAfterMs: Math.max(1, atMs - clock.now()) };
}
