import type { ObjectKey } from '@fnlet/machinery';
import type { ReadLogsOptions } from './log-reader.ts';

/** One file of a volume. */
export interface VolumeFile {
  /** Below the volume, without `..`. */
  readonly path: string;
  readonly content: Uint8Array;
  readonly mode: number;
}

/** What a Pod's volume holds; an emptyDir holds no files. */
export interface VolumeContent {
  readonly name: string;
  readonly files: readonly VolumeFile[];
  /** A directory or file of the machine instead of one of the Pod. */
  readonly hostPath?: string;
}

/** A volume, or a part of it, at a place in the file system that a container sees. */
export interface ContainerMount {
  readonly volume: string;
  readonly subPath: string;
  readonly mountPath: string;
  readonly readOnly: boolean;
}

/** What to run in the name of a container. */
export interface ContainerCommand {
  /** Uid of the Pod: its directory is named by it. */
  readonly pod: string;
  readonly container: string;
  /** Absolute path of the program, then its arguments. */
  readonly command: readonly string[];
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Default: the Pod's own directory. */
  readonly workingDirectory?: string | undefined;
  readonly mounts: readonly ContainerMount[];
}

/** How a process of a container ended. */
export interface ContainerExit {
  /** As a shell tells it: 128 and the number of the signal that ended it. */
  readonly exitCode: number;
  /** 0 when no signal ended it. */
  readonly signal: number;
  /** Why it could not even begin. */
  readonly startError?: string;
}

/** How people can be connected to a container (core/v1 Container). */
export interface ContainerStreams {
  /** Whether its input is open, for those who attach to it. */
  readonly stdin: boolean;
  /** Whether its input ends with the first who attached to it. */
  readonly stdinOnce: boolean;
  /** Whether it runs in a terminal: what it says is all on stdout. */
  readonly tty: boolean;
}

export interface ContainerStart extends ContainerCommand {
  /** Namespace and name of the Pod. */
  readonly key: ObjectKey;
  /** Default: no input, no terminal. */
  readonly streams?: ContainerStreams;
  /** Counts the runs of this container from 0; each has a log of its own. */
  readonly run: number;
  /** Called once, never in the tick of the start. */
  onExit(exit: ContainerExit): void;
}

/** A container that was started. */
export interface ContainerProcess {
  readonly pid: number | undefined;
  /** To everything that it started. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
}

/** The end of a command that was run to its end. */
export interface ExecutedCommand extends ContainerExit {
  /** The beginning of what it wrote. */
  readonly output: string;
  readonly timedOut: boolean;
}

/** Something to ask over the network. */
export interface NetworkProbe {
  readonly kind: 'http' | 'tcp';
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly secure: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** Whether a probe or hook went well, and what there is to say about it. */
export interface ProbeOutcome {
  readonly ok: boolean;
  readonly message: string;
}

/** Which log of a Pod is wanted. */
export interface ContainerLogKey {
  readonly pod: string;
  readonly container: string;
}

/**
 * Runs containers as processes of this machine: a port, with processes or nothing but memory
 * behind it. It knows no policy: what is started, probed and stopped when is its caller's.
 */
export interface ContainerRuntime extends AsyncDisposable {
  /** Whether volumes can be where containers expect them: in a view of the file system of theirs. */
  readonly canMount: boolean;
  /** An address of its own for a Pod, where the platform has them. */
  address(): string;
  /** The program's file, looked up in `path` unless it is absolute; `undefined`: there is none. */
  locate(program: string, path: string): string | undefined;
  /** Makes the Pod's volumes what they should hold; files of an emptyDir stay. */
  setVolumes(pod: string, volumes: readonly VolumeContent[]): void;
  start(start: ContainerStart): ContainerProcess;
  /** Runs a command beside a container, to its end or for `timeoutMs`. */
  execute(
    command: ContainerCommand,
    options: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<ExecutedCommand>;
  probe(probe: NetworkProbe): Promise<ProbeOutcome>;
  /** @throws ExecutorError `LogsNotFound` */
  readLogs(key: ContainerLogKey, options: ReadLogsOptions): AsyncIterable<Uint8Array>;
  /** Removes everything that is kept of the Pod. Its processes must have ended. */
  removePod(pod: string): void;
  /** Uids of the Pods of which something is kept. */
  listPods(): readonly string[];
  /** Asks everything to end, and kills what is left after `graceMs`. */
  close(graceMs?: number): Promise<void>;
}
