import type {
  ContainerExit,
  ContainerRuntime,
  ContainerStart,
  ExecutedCommand,
  ProbeOutcome,
  VolumeContent,
} from './container-runtime.ts';
import { ExecutorError } from './executor-error.ts';

/** A container that runs in memory: it ends when it is told to. */
export interface MemoryContainer {
  readonly start: ContainerStart;
  readonly signals: readonly string[];
  end(exit: ContainerExit): void;
}

/** A ContainerRuntime for tests and simulations. */
export interface MemoryContainers extends ContainerRuntime {
  /** What runs now. */
  readonly running: readonly MemoryContainer[];
  /** Every start so far. */
  readonly starts: readonly ContainerStart[];
  /** The volumes of a Pod as they were set last. */
  volumesOf(pod: string): readonly VolumeContent[];
}

export interface MemoryContainersOptions {
  readonly canMount?: boolean;
  /** Programs that exist. Default: all. */
  has?(program: string): boolean;
  /** Called for each start; what it returns ends the container at once. */
  onStart?(start: ContainerStart): ContainerExit | undefined;
  /** Whether a container ends by SIGTERM. Default: it does, with 143. */
  obeys?(start: ContainerStart): boolean;
  probe?(): ProbeOutcome;
  execute?(command: readonly string[]): ExecutedCommand;
}

const fine: ExecutedCommand = { exitCode: 0, signal: 0, output: '', timedOut: false };

export function createMemoryContainers(options: MemoryContainersOptions = {}): MemoryContainers {
  const running = new Map<ContainerStart, MemoryContainer>();
  const starts: ContainerStart[] = [];
  const volumes = new Map<string, readonly VolumeContent[]>();
  let addresses = 0;
  const close = async (): Promise<void> => {
    for (const { end } of [...running.values()]) end({ exitCode: 137, signal: 9 });
  };
  return {
    canMount: options.canMount ?? true,
    starts,
    get running() {
      return [...running.values()];
    },
    volumesOf: (pod) => volumes.get(pod) ?? [],
    address: () => `127.64.0.${++addresses}`,
    locate: (program) => (options.has?.(program) === false ? undefined : `/bin/${program}`),
    setVolumes(pod, contents) {
      volumes.set(pod, contents);
    },
    start(start) {
      starts.push(start);
      const signals: string[] = [];
      // As with a process, the end is never told in the tick of its cause.
      const end = (exit: ContainerExit): void => {
        if (running.delete(start)) queueMicrotask(() => start.onExit(exit));
      };
      running.set(start, { start, signals, end });
      const exit = options.onStart?.(start);
      if (exit !== undefined) end(exit);
      return {
        pid: starts.length,
        signal(signal) {
          signals.push(signal);
          if (signal === 'SIGKILL') end({ exitCode: 137, signal: 9 });
          else if (options.obeys?.(start) !== false) end({ exitCode: 143, signal: 15 });
        },
      };
    },
    execute: async ({ command }) => options.execute?.(command) ?? fine,
    probe: async () => options.probe?.() ?? { ok: true, message: '' },
    async *readLogs({ container }) {
      yield* [];
      const text = `Cannot read logs "${container}": memory keeps none`;
      throw new ExecutorError('LogsNotFound', text);
    },
    removePod(pod) {
      volumes.delete(pod);
    },
    listPods: () => [...volumes.keys()],
    close,
    [Symbol.asyncDispose]: close,
  };
}
