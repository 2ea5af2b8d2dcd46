import type { Duplex, Readable, Writable } from 'node:stream';
import type { KubeObject } from '@fnlet/machinery';

/** Which part of a container's log is wanted (core/v1 PodLogOptions). */
export interface LogOptions {
  readonly container: string;
  /** Go on as new lines come, until the container ends or `signal` aborts. */
  readonly follow: boolean;
  /** The log of the container's last run that another one follows. */
  readonly previous: boolean;
  /**
   * The Pod was seen waiting for its next run: `previous` is then the latest run that is over. The
   * next one may have begun since.
   */
  readonly awaitsRun: boolean;
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

/** What a client wants to be connected to of a container (core/v1 PodAttachOptions). */
export interface AttachOptions {
  readonly container: string;
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  /** A terminal: what the process says comes through `stdout` alone. */
  readonly tty: boolean;
  /** Aborts when the client is gone: a started process then ends, with all that it started. */
  readonly signal: AbortSignal;
}

/** A command to be run in a container (core/v1 PodExecOptions). */
export interface ExecOptions extends AttachOptions {
  /** Program and arguments, not for a shell. At least one. */
  readonly command: readonly string[];
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** A process that a client is connected to. Streams that were not asked for may be absent. */
export interface ContainerProcess {
  readonly stdin?: Writable | undefined;
  readonly stdout?: Readable | undefined;
  readonly stderr?: Readable | undefined;
  /** Its exit code, 128 + n after signal n. Resolves when it ended; never rejects. */
  readonly exitCode: Promise<number>;
  /** Tells its terminal about another size; without a terminal nothing happens. */
  resize(size: TerminalSize): void;
}

/** What one container uses. */
export interface ContainerUsage {
  readonly name: string;
  /** CPU over the window: 1 is one core. */
  readonly cores: number;
  /** Resident memory at the end of the window. */
  readonly memoryBytes: number;
}

export interface PodUsage {
  readonly namespace: string;
  readonly name: string;
  readonly containers: readonly ContainerUsage[];
}

/** A reading of what Pods, and the node as a whole, use. */
export interface UsageReading {
  /** When the window ended. */
  readonly atMs: number;
  readonly windowMs: number;
  readonly node: { readonly name: string } & Omit<ContainerUsage, 'name'>;
  /** Only Pods with processes. */
  readonly pods: readonly PodUsage[];
}

/**
 * What runs the Pods of this API; injected by whoever puts the house together. Without one, Pods
 * are objects only, and asking for their logs says so.
 *
 * Every method throws or rejects with a StatusError when it cannot: BadRequest for a previous run
 * that never was, NotFound for a container that does not run, NotImplemented for what this kind of
 * runtime has not got.
 */
export interface PodRuntime {
  /** The log as it was written, in chunks of any size. */
  logs(pod: KubeObject, options: LogOptions): AsyncIterable<Uint8Array>;
  /** Starts a command beside what runs in the container. */
  exec(pod: KubeObject, options: ExecOptions): Promise<ContainerProcess>;
  /** Connects to what runs in the container, from now on; `exitCode` resolves when that ends. */
  attach(pod: KubeObject, options: AttachOptions): Promise<ContainerProcess>;
  /** A connection to a port of the Pod; half-open, for one side may end before the other. */
  portForward(pod: KubeObject, port: number, signal: AbortSignal): Promise<Duplex>;
  /**
   * A connection to whoever answers for a Service by itself, whichever Pods there are; undefined
   * where its Pods do. It finds the Service by the Host of a request.
   */
  connectService?(service: KubeObject, signal: AbortSignal): Promise<Duplex> | undefined;
  /**
   * What all Pods use at present; may take the time of a window. Absent where nobody can tell:
   * there is then no metrics.k8s.io.
   */
  readUsage?(signal: AbortSignal): Promise<UsageReading>;
}
