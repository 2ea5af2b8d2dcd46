/**
 * Owns which runtimes can be started on this machine, and makes them startable when somebody needs
 * them: nothing is fetched, run or written before.
 *
 * I1. One preparation per runtime at a time; whoever comes later joins it.
 * I2. What `get` gives was prepared in this life of the process, or is this process's own Node.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@fnlet/base';
import { type AddedRuntime, addedRuntime } from './added-runtime.ts';
import { createDependencyInstaller, type DependencyInstaller } from './dependency-installer.ts';
import { fetchedNodeRuntime, nodeMajor, ownNodeRuntime } from './node-runtime.ts';
import type { Environment } from './npm-command.ts';
import { pythonRuntime } from './python-runtime.ts';
import type { Reaper } from './reaper.ts';
import type { RuntimeCommand, RuntimeCommands } from './runtime-command.ts';
import { RuntimeError } from './runtime-error.ts';
import type { RuntimeLook, RuntimeSource } from './runtime-source.ts';
import { SharedWork, type WorkCaller } from './shared-work.ts';

export interface RuntimesOptions {
  /** What is fetched and written is kept here; it has one owner at a time. */
  readonly directory: string;
  /** Names of the runtimes that come with Fnlet, such as `nodejs22` and `python3.12`. */
  readonly builtin: readonly string[];
  readonly runners: {
    /** Program of the Node Runner. */
    readonly node: string;
    /** Arguments with which Python starts its Runner. */
    readonly python: readonly string[];
  };
  /** Variables of this process: where programs are, and what npm is told. */
  readonly environment: Environment;
  readonly reaper: Reaper;
  readonly clock: Clock;
}

/** The runtimes of this machine. */
export interface Runtimes extends RuntimeCommands {
  /** What is here, by looking only; `undefined` for a name that nobody knows. */
  look(name: string): RuntimeLook | undefined;
  /**
   * Makes a runtime startable.
   *
   * @throws RuntimeError
   */
  prepare(name: string, caller: WorkCaller): Promise<RuntimeCommand>;
  /** Adds a runtime, or changes one that was added. A builtin one stays as it is. */
  add(runtime: AddedRuntime): void;
  /** Takes back what was added; Instances that run go on. */
  remove(name: string): void;
}

export function createRuntimes(options: RuntimesOptions): Runtimes {
  return new MachineRuntimes(options);
}

class MachineRuntimes implements Runtimes {
  readonly #options: RuntimesOptions;
  readonly #builtin: ReadonlyMap<string, RuntimeSource>;
  readonly #added = new Map<string, RuntimeSource>();
  readonly #commands = new Map<string, RuntimeCommand>();
  readonly #work = new SharedWork<RuntimeCommand>();
  #installer: DependencyInstaller | undefined;
  #hasAdded = false;

  constructor(options: RuntimesOptions) {
    this.#options = options;
    this.#builtin = new Map(options.builtin.map((name) => [name, this.#createBuiltin(name)]));
  }

  get(name: string): RuntimeCommand | undefined {
    return this.#commands.get(name);
  }

  look(name: string): RuntimeLook | undefined {
    return this.#sourceOf(name)?.look();
  }

  async prepare(name: string, caller: WorkCaller): Promise<RuntimeCommand> {
    const source = this.#sourceOf(name);
    if (source === undefined) {
      const message = `Cannot run runtime "${name}": it is not here any more, expected one that is`;
      throw new RuntimeError('UnknownRuntime', message);
    }
    const command = await this.#work.run(name, caller, (run) => source.prepare(run));
    // It may have been changed or taken back meanwhile.
    if (this.#sourceOf(name) === source) this.#commands.set(name, command);
    return command;
  }

  add(runtime: AddedRuntime): void {
    const { directory, environment } = this.#options;
    const files = join(directory, 'added');
    // Whoever used what is there died with the process before this one.
    if (!this.#hasAdded) rmSync(files, { recursive: true, force: true });
    this.#hasAdded = true;
    this.#added.set(
      runtime.name,
      addedRuntime(runtime, { directory: files, path: environment.PATH }),
    );
    if (!this.#builtin.has(runtime.name)) this.#commands.delete(runtime.name);
  }

  remove(name: string): void {
    if (this.#added.delete(name) && !this.#builtin.has(name)) this.#commands.delete(name);
  }

  #sourceOf(name: string): RuntimeSource | undefined {
    return this.#builtin.get(name) ?? this.#added.get(name);
  }

  #createBuiltin(name: string): RuntimeSource {
    const { directory, runners, environment } = this.#options;
    const major = nodeMajor(name);
    if (major === undefined) {
      return pythonRuntime({ name, runner: runners.python, path: environment.PATH });
    }
    if (process.versions.node.startsWith(`${major}.`)) {
      const own = ownNodeRuntime(name, runners.node);
      this.#commands.set(name, own.command);
      return own;
    }
    const installer = (): DependencyInstaller => this.#openInstaller();
    return fetchedNodeRuntime({ name, runner: runners.node, directory, installer });
  }

  // Of its own, and never swept: what is there is needed as long as the data directory is.
  #openInstaller(): DependencyInstaller {
    const { directory, environment, reaper, clock } = this.#options;
    this.#installer ??= createDependencyInstaller({
      ...{ directory: join(directory, 'packages'), environment, reaper, clock },
    });
    return this.#installer;
  }
}
