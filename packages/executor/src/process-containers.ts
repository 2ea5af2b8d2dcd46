/**
 * Owns the processes and files of containers. Everything that it starts is on the reaper's list,
 * so that nothing outlives this process, however it ends.
 */
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { type Clock, errorMessage, type Logger, type Random } from '@fnlet/base';
import type { ObjectKey } from '@fnlet/machinery';
import { type CommandProcess, startCommand } from './command-process.ts';
import type { AttachedContainer, AttachOptions } from './container-attachments.ts';
import { ContainerLogs } from './container-logs.ts';
import { type AttachableProcess, startContainerProcess } from './container-process.ts';
import type {
  ContainerCommand,
  ContainerLogKey,
  ContainerProcess,
  ContainerRuntime,
  ContainerStart,
  ContainerStreams,
  ExecutedCommand,
  NetworkProbe,
  ProbeOutcome,
  VolumeContent,
} from './container-runtime.ts';
import { ExecutorError } from './executor-error.ts';
import type { ExecOptions } from './instance-access.ts';
import { limits } from './limits.ts';
import { createLoopbackAddresses, type LoopbackAddresses } from './loopback-addresses.ts';
import { type BoundPath, findMountCommand, mountedCommand } from './mount-script.ts';
import type { RunOutput } from './output-keeper.ts';
import { locateProgram, PodDirectories } from './pod-directories.ts';
import type { Reaper } from './reaper.ts';
import { type Usage, UsageMeter } from './usage-meter.ts';

export interface ProcessContainersOptions {
  /** Where files and logs of Pods are kept. */
  readonly directory: string;
  readonly reaper: Reaper;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** What containers use, and the machine as a whole. */
export interface ContainersUsage {
  readonly atMs: number;
  readonly windowMs: number;
  readonly machine: Usage;
  readonly containers: readonly {
    /** Of the Pod. */
    readonly key: ObjectKey;
    readonly container: string;
    readonly usage: Usage;
  }[];
}

/** A ContainerRuntime whose containers people can reach from outside. */
export interface ProcessContainers extends ContainerRuntime {
  /**
   * Starts a command beside a container: with its environment, and with its volumes where it sees
   * them. It ends with `signal` at the latest.
   *
   * @throws ExecutorError `InstanceNotFound`, `NoTerminal`
   */
  exec(key: ContainerLogKey, options: ExecOptions): Promise<CommandProcess>;
  /**
   * Connects to what runs in a container, from now on.
   *
   * @throws ExecutorError `InstanceNotFound`
   */
  attach(key: ContainerLogKey, options: AttachOptions): AttachedContainer;
  /**
   * A connection to a port of a Pod, half-open.
   *
   * @throws ExecutorError `PortUnreachable`
   */
  connect(
    address: { readonly host: string; readonly port: number },
    signal: AbortSignal,
  ): Promise<Duplex>;
  /** Only on Linux, whose /proc tells. */
  readUsage(): Promise<ContainersUsage>;
}

/** Containers as processes of this machine. */
export function createProcessContainers(options: ProcessContainersOptions): ProcessContainers {
  return new MachineContainers(options);
}

interface RunningContainer {
  readonly start: ContainerStart;
  readonly pid: number;
  readonly process: AttachableProcess;
}

class MachineContainers implements ProcessContainers {
  readonly #options: ProcessContainersOptions;
  readonly #directories: PodDirectories;
  readonly #logs: ContainerLogs;
  readonly #addresses: LoopbackAddresses;
  readonly #hostPaths = new Map<string, string>();
  readonly #running = new Set<ContainerProcess>();
  /** What runs now, by Pod and container. */
  readonly #containers = new Map<string, RunningContainer>();
  readonly #meter: UsageMeter;
  #mountCommand: readonly string[] | undefined | 'unknown' = 'unknown';
  #onIdle: (() => void) | undefined;
  #closed = false;

  constructor(options: ProcessContainersOptions) {
    const { directory, clock, logger, random } = options;
    this.#options = options;
    this.#directories = new PodDirectories(directory);
    this.#logs = new ContainerLogs({
      directoryOf: (pod) => this.#directories.of(pod),
      clock,
      logger,
    });
    this.#meter = new UsageMeter(clock);
    this.#addresses = createLoopbackAddresses(process.platform, random);
  }

  get canMount(): boolean {
    return this.#mounting() !== undefined;
  }

  address(): string {
    return this.#addresses.next().host;
  }

  locate(program: string, path: string): string | undefined {
    return locateProgram(program, path);
  }

  setVolumes(pod: string, volumes: readonly VolumeContent[]): void {
    for (const volume of volumes) {
      if (volume.hostPath === undefined) this.#directories.setVolume(pod, volume);
      else this.#hostPaths.set(`${pod}/${volume.name}`, volume.hostPath);
    }
  }

  start(start: ContainerStart): ContainerProcess {
    const output = this.#logs.open(start, start.run);
    const name = containerName(start);
    const process = this.#spawn(start, output, (exit) => {
      this.#containers.delete(name);
      start.onExit(exit);
    });
    const { pid } = process;
    if (pid !== undefined) this.#containers.set(name, { start, pid, process });
    return process;
  }

  attach(key: ContainerLogKey, options: AttachOptions): AttachedContainer {
    return this.#requireRunning(key).process.attach(options);
  }

  async exec(key: ContainerLogKey, options: ExecOptions): Promise<CommandProcess> {
    const running = this.#requireRunning(key);
    const { reaper, clock } = this.#options;
    const { env } = running.start;
    const [program = '', ...args] = options.command;
    // Looked up here, for behind a mount only whole paths are found.
    const located = this.locate(program, env.PATH ?? '') ?? program;
    const { command, workingDirectory } = this.#placed({
      ...running.start,
      command: [located, ...args],
    });
    const { stdin, tty, signal } = options;
    const place = { command, env, directory: workingDirectory };
    return startCommand({ ...place, stdin, tty, signal, reaper, clock });
  }

  async connect(
    { host, port }: { readonly host: string; readonly port: number },
    signal: AbortSignal,
  ): Promise<Duplex> {
    // One side may end before the other.
    const socket = connect({ host, port, signal, allowHalfOpen: true });
    const tooLate = (): unknown => socket.destroy(new Error('connection timed out'));
    const timeout = this.#options.clock.after(limits.connectMs, tooLate);
    try {
      await once(socket, 'connect');
    } catch (cause) {
      const message = `Cannot connect to port ${port} of the Pod: ${errorMessage(cause)}`;
      throw new ExecutorError('PortUnreachable', message, { cause });
    } finally {
      timeout.cancel();
    }
    // Whoever reads and writes hears of them too.
    socket.on('error', () => {});
    return socket;
  }

  #requireRunning(key: ContainerLogKey): RunningContainer {
    const running = this.#containers.get(containerName(key));
    if (running !== undefined) return running;
    const message = `Cannot reach container "${key.container}": it does not run, expected one that does`;
    throw new ExecutorError('InstanceNotFound', message);
  }

  async readUsage(): Promise<ContainersUsage> {
    const running = [...this.#containers.values()];
    const { groups, ...reading } = await this.#meter.read(new Set(running.map(({ pid }) => pid)));
    return {
      ...reading,
      containers: running.flatMap(({ start: { key, container }, pid }) => {
        const usage = groups.get(pid);
        return usage === undefined ? [] : [{ key, container, usage }];
      }),
    };
  }

  async execute(
    command: ContainerCommand,
    { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<ExecutedCommand> {
    const { clock } = this.#options;
    let output = '';
    let timedOut = false;
    const exit = await new Promise<ExecutedCommand>((resolve) => {
      const collect: RunOutput = {
        write(_, chunk) {
          if (output.length < limits.executedOutputCharactersMax) {
            output += Buffer.from(chunk).toString();
          }
        },
        end() {},
      };
      const process = this.#spawn(command, collect, (ended) => {
        timer.cancel();
        signal.removeEventListener('abort', kill);
        resolve({ ...ended, output, timedOut });
      });
      const kill = (): void => process.signal('SIGKILL');
      const timer = clock.after(timeoutMs, () => {
        timedOut = true;
        kill();
      });
      signal.addEventListener('abort', kill, { once: true });
      if (signal.aborted) kill();
    });
    return exit;
  }

  async probe(probe: NetworkProbe): Promise<ProbeOutcome> {
    // Loaded for the first of them: it needs node:http, which is slow to import.
    const { probeNetwork } = await import('./network-probe.ts');
    return probeNetwork(probe);
  }

  readLogs: ContainerRuntime['readLogs'] = (key, options) => this.#logs.read(key, options);

  removePod(pod: string): void {
    this.#directories.remove(pod);
    for (const key of [...this.#hostPaths.keys()]) {
      if (key.startsWith(`${pod}/`)) this.#hostPaths.delete(key);
    }
  }

  listPods(): readonly string[] {
    return this.#directories.list();
  }

  async close(graceMs: number = limits.terminateMs): Promise<void> {
    this.#closed = true;
    if (this.#running.size === 0) return;
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    for (const process of this.#running) process.signal('SIGTERM');
    const kill = (): void => {
      for (const process of this.#running) process.signal('SIGKILL');
    };
    const timer = this.#options.clock.after(graceMs, kill);
    await idle;
    timer.cancel();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #spawn(
    command: ContainerCommand & { readonly streams?: ContainerStreams },
    output: RunOutput,
    onExit: ContainerStart['onExit'],
  ): AttachableProcess {
    const { reaper, clock } = this.#options;
    const process = startContainerProcess({
      ...this.#placed(command),
      env: command.env,
      streams: command.streams,
      output,
      reaper,
      clock,
      onExit: (exit) => {
        this.#running.delete(process);
        onExit(exit);
        if (this.#running.size === 0) this.#onIdle?.();
      },
    });
    this.#running.add(process);
    if (this.#closed) process.signal('SIGKILL');
    return process;
  }

  /** The command in the view of the file system that its mounts ask for. */
  #placed({ pod, container, command, workingDirectory, mounts }: ContainerCommand): {
    readonly command: readonly string[];
    readonly workingDirectory: string;
  } {
    const work = this.#directories.work(pod);
    const mountCommand = mounts.length === 0 ? undefined : this.#mounting();
    if (mountCommand === undefined) return { command, workingDirectory: workingDirectory ?? work };
    const paths = mounts.map(({ volume, subPath, mountPath, readOnly }): BoundPath => {
      const hostPath = this.#hostPaths.get(`${pod}/${volume}`);
      const source = join(hostPath ?? this.#directories.volume(pod, volume), subPath);
      const isFile = statSync(source, { throwIfNoEntry: false })?.isFile() === true;
      return { source, target: mountPath, isFile, readOnly };
    });
    const mounted = mountedCommand(mountCommand, {
      ...this.#directories.view(pod, container),
      ...{ workingDirectory: workingDirectory ?? work, command, paths },
    });
    return { command: mounted, workingDirectory: work };
  }

  #mounting(): readonly string[] | undefined {
    // Asked once, and only when a volume is wanted: the answer costs the start of two programs.
    if (this.#mountCommand === 'unknown') this.#mountCommand = findMountCommand();
    return this.#mountCommand;
  }
}

function containerName({ pod, container }: ContainerLogKey): string {
  return `${pod}/${container}`;
}
