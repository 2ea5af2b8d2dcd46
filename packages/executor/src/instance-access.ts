/**
 * What a person does with one Instance from outside: run a command beside it, reach one of its
 * ports. It ends with the Instance.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import type { Duplex } from 'node:stream';
import { type Clock, errorMessage, type Logger } from '@fnlet/base';
import { formatObjectKey, type ObjectKey } from '@fnlet/machinery';
import type { CommandDirectories } from './command-directories.ts';
import { type CommandProcess, startCommand } from './command-process.ts';
import type { Executor, Instance, InstanceAddress } from './executor.ts';
import { ExecutorError } from './executor-error.ts';
import { type InstanceNode, instanceEnvironment } from './instance-environment.ts';
import { limits } from './limits.ts';
import type { MountView } from './mount-view.ts';
import { locateProgram } from './pod-directories.ts';
import type { Reaper } from './reaper.ts';
import type { RuntimeCommands } from './runtime-command.ts';

/** A command to be run beside an Instance. */
export interface ExecOptions {
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly stdin: boolean;
  readonly tty: boolean;
  /** Ends the command, with all that it started. */
  readonly signal: AbortSignal;
}

export interface InstanceAccessOptions {
  readonly executor: Pick<Executor, 'instances' | 'subscribe' | 'evict'>;
  readonly directories: CommandDirectories;
  readonly runtimes: RuntimeCommands;
  readonly reaper: Reaper;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly node: InstanceNode;
  readonly views: MountView;
}

/** The port that every Pod of Fnlet declares; a Runner may listen on another one. */
const declaredPort = 8080;

// What an image without a PATH of its own gives its processes.
const imagePath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export class InstanceAccess {
  readonly #options: InstanceAccessOptions;

  constructor(options: InstanceAccessOptions) {
    this.#options = options;
  }

  /** @throws ExecutorError `InstanceNotFound`, `NoTerminal`, `NoDirectory`, `NoMounts` */
  async exec(key: ObjectKey, options: ExecOptions): Promise<CommandProcess> {
    const instance = this.#find(key);
    const { reaper, clock } = this.#options;
    const ended = this.#endOf(instance);
    const { stdin, tty } = options;
    try {
      const directory = await this.#directoryOf(instance);
      const command = this.#seeing(instance, options.command, directory);
      if (ended.signal.aborted) throw notFound(key);
      const process = await startCommand({
        ...{ command, stdin, tty, directory, reaper, clock },
        env: this.#environment(instance),
        signal: AbortSignal.any([options.signal, ended.signal]),
      });
      this.#guard(instance, directory, process);
      void process.exitCode.then(() => ended.unsubscribe());
      return process;
    } catch (error) {
      ended.unsubscribe();
      throw error;
    }
  }

  /** The command where it sees what the Instance sees. */
  #seeing(instance: Instance, command: readonly string[], directory: string): readonly string[] {
    const { mounts = [] } = instance.revision;
    if (mounts.length === 0) return command;
    const [program = '', ...args] = command;
    // Looked up here, for behind a mount only whole paths are found.
    const located = locateProgram(program, this.#environment(instance).PATH ?? '') ?? program;
    const { views } = this.#options;
    return views.command(mounts, { command: [located, ...args], workingDirectory: directory });
  }

  async #directoryOf(instance: Instance): Promise<string> {
    try {
      return await this.#options.directories.of(instance);
    } catch (cause) {
      const message = `Cannot copy the sources of Instance "${instance.id}" for commands: ${errorMessage(cause)}, expected to read and write them`;
      throw new ExecutorError('NoDirectory', message, { cause });
    }
  }

  // As a kubelet does with a Pod that fills its node's disk.
  #guard(instance: Instance, directory: string, { exitCode }: CommandProcess): void {
    const { directories, executor, logger } = this.#options;
    const over = new AbortController();
    void exitCode.then(() => over.abort());
    directories.guard(directory, over.signal, () => {
      logger.warn('The commands of an Instance filled their directory, and it is replaced', {
        instance: instance.id,
      });
      executor.evict(instance.id, 0);
    });
  }

  /** @throws ExecutorError `InstanceNotFound`, `PortUnreachable` */
  async connect(key: ObjectKey, port: number, signal: AbortSignal): Promise<Duplex> {
    const { address } = this.#find(key);
    if (address === undefined) throw notFound(key);
    const target = targetOf(address, port);
    if (target === undefined) throw unreachable(key, port, 'only its HTTP port is its own here');
    // One side may end before the other.
    const socket = connect({ ...target, signal, allowHalfOpen: true });
    const tooLate = (): unknown => socket.destroy(new Error('connection timed out'));
    const timeout = this.#options.clock.after(limits.connectMs, tooLate);
    try {
      await once(socket, 'connect');
    } catch (error) {
      throw unreachable(key, port, error);
    } finally {
      timeout.cancel();
    }
    // Whoever reads and writes hears of them too.
    socket.on('error', () => {});
    return socket;
  }

  #find(key: ObjectKey): Instance {
    const instance = this.#options.executor
      .instances()
      .find(({ id, revision }) => id === key.name && revision.namespace === key.namespace);
    // Between restarts there is nothing beside which a command could run.
    if (instance?.pid === undefined) throw notFound(key);
    return instance;
  }

  /** Aborts when this process of the Instance has ended. */
  #endOf({ id }: Instance): { readonly signal: AbortSignal; unsubscribe(): void } {
    const ended = new AbortController();
    const unsubscribe = this.#options.executor.subscribe(({ kind, instance }) => {
      const isOver = kind === 'crashed' || kind === 'stopped' || kind === 'loadFailed';
      if (instance.id === id && isOver) ended.abort();
    });
    return { signal: ended.signal, unsubscribe };
  }

  // As in an image of the runtime: its own program, and those of the system.
  #environment(instance: Instance): Readonly<Record<string, string>> {
    const { runtimes, node } = this.#options;
    const { runtime, runsOn = runtime } = instance.revision;
    const [program = ''] = runtimes.get(runsOn)?.command ?? [];
    const path = program === '' ? imagePath : `${imagePath}:${dirname(program)}`;
    return { PATH: path, HOSTNAME: instance.id, ...instanceEnvironment(instance, node) };
  }
}

// An Instance has a loopback address of its own on Linux; elsewhere only its socket is its own, and
// other ports of 127.0.0.1 belong to anybody.
function targetOf(
  address: InstanceAddress,
  port: number,
): { readonly path: string } | { readonly host: string; readonly port: number } | undefined {
  const { socketPath } = address;
  const isOwn = port === declaredPort || port === address.port;
  if (isOwn && socketPath !== undefined) return { path: socketPath };
  return address.host === '127.0.0.1' ? undefined : { host: address.host, port };
}

function notFound(key: ObjectKey): ExecutorError {
  const message = `Cannot reach Instance "${formatObjectKey(key)}": it does not run, expected one that does`;
  return new ExecutorError('InstanceNotFound', message);
}

function unreachable(key: ObjectKey, port: number, cause: unknown): ExecutorError {
  const message = `Cannot connect to port ${port} of Instance "${formatObjectKey(key)}": ${errorMessage(cause)}`;
  return new ExecutorError('PortUnreachable', message, { cause });
}
