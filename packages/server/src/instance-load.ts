import { type Clock, LoadMeter } from '@fnlet/base';
import type { Executor } from '@fnlet/executor';
import { busyInstancesPerSecond, instancesQuietSeconds } from './limits.ts';

export interface InstanceLoadOptions {
  readonly clock: Clock;
  /** Told when many Instances come and go, and when they do no more. */
  readonly onLoad: (isBusy: boolean) => void;
}

/** Tells whether many Instances come and go; returns the way to stop that. */
export function followInstanceLoad(
  executor: Pick<Executor, 'subscribe'>,
  { clock, onLoad }: InstanceLoadOptions,
): () => void {
  const [busyPerSecond, quietSeconds] = [busyInstancesPerSecond, instancesQuietSeconds];
  const load = new LoadMeter({ clock, busyPerSecond, quietSeconds, onChange: onLoad });
  return executor.subscribe(({ kind }) => {
    if (kind === 'starting' || kind === 'draining') load.note();
  });
}
