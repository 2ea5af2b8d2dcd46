import assert from 'node:assert/strict';
import { silentLogger, VirtualClock } from '@fnlet/base';
import { type Controller, type ControllerOptions, createController } from '../src/controller.ts';
import type { Reconcile } from '../src/key-run.ts';

/** A controller that runs on a clock of the test's. */
export interface Run {
  readonly clock: VirtualClock;
  readonly controller: Controller;
  stop(): Promise<void>;
}

/** Starts a controller without sources, unless told otherwise. */
export function start(reconcile: Reconcile, options: Partial<ControllerOptions> = {}): Run {
  const clock = new VirtualClock();
  const controller = createController({
    name: 'test',
    sources: [],
    reconcile,
    clock,
    logger: silentLogger,
    ...options,
  });
  const abort = new AbortController();
  const running = controller.run(abort.signal);
  return {
    clock,
    controller,
    async stop() {
      abort.abort();
      await running;
      assert.equal(clock.timers, 0);
    },
  };
}
