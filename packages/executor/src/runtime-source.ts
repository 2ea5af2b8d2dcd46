import type { RuntimeCommand } from './runtime-command.ts';
import type { WorkCaller } from './shared-work.ts';

/**
 * What a machine has of a runtime. `own`: the Node of this process. `found`: it was installed by
 * somebody. `fetched`: it was fetched before. `fetchable`: it is fetched when it is first needed.
 * `absent`: somebody has to install it.
 */
export type RuntimeState = 'own' | 'found' | 'fetched' | 'fetchable' | 'absent';

/** What a look at a machine says about a runtime. */
export interface RuntimeLook {
  readonly state: RuntimeState;
  /** Path of its program. */
  readonly program?: string;
  /** Where that is known without running it. */
  readonly version?: string;
}

/** Where one runtime comes from. */
export interface RuntimeSource {
  /** Looks, without running, fetching or writing anything. */
  look(): RuntimeLook;
  /**
   * Makes it startable; quick when it was done before.
   *
   * @throws RuntimeError
   */
  prepare(caller: Required<WorkCaller>): Promise<RuntimeCommand>;
}
