import type { LoadFailure, Specialisation } from '@fnlet/invocation';
import type { InstanceAddress, Obstacle } from './executor.ts';
import type { LogStream } from './log-line.ts';
import type { InstanceMount } from './mount-view.ts';
import type { ResourceBounds } from './resource-bounds.ts';

/** What a Runner says after it was given code. */
export type RunnerEvent =
  /** Calls that are sent to it from now on wait there until it has its code. */
  | { readonly kind: 'expecting' }
  | { readonly kind: 'loading'; readonly file: string }
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly failure: LoadFailure }
  /** Somebody else has told it to end: it is to be given no more calls. */
  | { readonly kind: 'leaving' }
  | ({ readonly kind: 'exited' } & RunnerExit);

/** How a Runner ended. */
export interface RunnerExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** It, or something that it started, was killed for its use of memory. */
  readonly outOfMemory?: boolean;
  /** What it wrote last, where that is told by whoever saw it end, and not by its output. */
  readonly said?: string;
}

/** Who is told about a Runner that was given code. */
export interface RunnerListener {
  onEvent(event: RunnerEvent): void;
  /** A piece of output, as it came. */
  onOutput(stream: LogStream, chunk: Uint8Array): void;
  /** No more output will come; not before the process ended. */
  onOutputEnd(): void;
}

/** A started Runner without code: the edge between the loop of Instances and what runs them. */
export interface Runner {
  readonly pid: number | undefined;
  readonly address: InstanceAddress;
  /** Whether calls that come while it loads its code wait for that. Default: they do. */
  readonly holdsCalls?: boolean;
  /** Nobody waits for it: it may do now, without code, what would be slow at first. */
  rehearse(): void;
  /**
   * Gives it its code, once, and bounds what that may use. Returns in the same tick; what becomes
   * of it is told to `listener`.
   */
  specialise(
    specialisation: Specialisation,
    listener: RunnerListener,
    bounds: ResourceBounds,
  ): void;
  /** Asks it to finish the calls in flight and end. */
  drain(): void;
  /** Signals it and everything that it started. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
}

/** Who needs a Runner. */
export interface RunnerOrder {
  /** Where its Instance is to be. */
  readonly namespace: string;
  /** Id of the Revision. */
  readonly revision: string;
  readonly runtime: string;
  /**
   * Two for each other Instance of the Revision, and one where no call waits for it: among orders
   * that have to wait, the lowest rank goes first, so that neither a large Revision nor one that is
   * only tried keeps another from waking.
   */
  readonly rank: number;
  /** Whether the Revision has other Instances: one that has none is not to wait for it. */
  readonly isFurther: boolean;
  /** What it must see; absent: nothing but the machine. */
  readonly mounts?: readonly InstanceMount[];
}

/** Hears why no Runner comes for now. */
export type OnObstacle = (obstacle: Obstacle | undefined) => void;

/** Where Runners come from: a warm pool of processes, Pods, or memory. */
export interface RunnerSupply {
  /**
   * Orders a Runner. `deliver` is called once: in the same tick when a warm one is there, with a
   * failure when none can be had. Returns the way to cancel an order that was not delivered.
   *
   * @param onObstacle is told why none comes for now, each time that changes; `undefined`: nothing
   *   stands in the way any more
   */
  take(
    order: RunnerOrder,
    deliver: (result: Runner | LoadFailure) => void,
    onObstacle: OnObstacle,
  ): () => void;
  /** Ends what nobody took. */
  close(): Promise<void>;
}

/** Whether an order brought a Runner. */
export function isRunner(result: Runner | LoadFailure): result is Runner {
  return 'specialise' in result;
}
