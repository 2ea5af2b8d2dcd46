import type { KubeObject } from '@fnlet/machinery';

/** Which part of a container's log is wanted (core/v1 PodLogOptions). */
export interface LogOptions {
  readonly container: string;
  /** Go on as new lines come, until the container ends or `signal` aborts. */
  readonly follow: boolean;
  /** The log of the container's run before its last restart. */
  readonly previous: boolean;
  /** Only the last so many lines. */
  readonly tailLines: number | undefined;
  readonly sinceSeconds: number | undefined;
  /** RFC 3339. */
  readonly sinceTime: string | undefined;
  /** Begin each line with its time. */
  readonly timestamps: boolean;
  readonly limitBytes: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * What runs the Pods of this API; injected by whoever puts the house together. Without one, Pods
 * are objects only, and asking for their logs says so.
 */
export interface PodRuntime {
  /**
   * The log as it was written, in chunks of any size. Rejects with a StatusError when there is
   * none, such as BadRequest for a previous run that never was.
   */
  logs(pod: KubeObject, options: LogOptions): AsyncIterable<Uint8Array>;
}
