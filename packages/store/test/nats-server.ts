import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** A nats-server that is on this machine. */
export interface NatsProgram {
  readonly path: string;
  readonly version: string;
}

const clients = join(import.meta.dirname, '../../..', 'node_modules', '.cache', 'clients');

/** Every nats-server that can be found, one of each version. */
export function findNatsPrograms(): readonly NatsProgram[] {
  const names = existsSync(clients) ? readdirSync(clients) : [];
  const cached = names.filter((name) => name.startsWith('nats-server'));
  const found = new Map<string, NatsProgram>();
  for (const path of [...cached.map((name) => join(clients, name)), 'nats-server']) {
    const version = versionOf(path);
    if (version !== undefined && !found.has(version)) found.set(version, { path, version });
  }
  return [...found.values()];
}

function versionOf(path: string): string | undefined {
  try {
    const text = execFileSync(path, ['--version'], { encoding: 'utf8' });
    return /v(\d+\.\d+\.\d+)/.exec(text)?.[1];
  } catch {
    return undefined;
  }
}

/** A nats-server of the test's own, with JetStream, that can be killed and started again. */
export class NatsServer implements AsyncDisposable {
  readonly #program: NatsProgram;
  readonly #directory: string;
  readonly #settings: string;
  #child: ChildProcess | undefined;
  #port = -1;
  #monitor = '';

  private constructor(program: NatsProgram, directory: string, settings: string) {
    this.#program = program;
    this.#directory = directory;
    this.#settings = settings;
  }

  /** @param settings Lines of its configuration; `jetstream` and the ports are there already. */
  static async start(program: NatsProgram, settings = ''): Promise<NatsServer> {
    const directory = await mkdtemp(join(tmpdir(), 'fnlet-nats-'));
    const server = new NatsServer(program, directory, settings);
    await server.start();
    return server;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.#port}`;
  }

  get monitor(): string {
    return this.#monitor;
  }

  /** Starts it, on the port that it had if it ran before. */
  async start(): Promise<void> {
    const ports = join(this.#directory, 'ports');
    const config = join(this.#directory, 'nats.conf');
    await rm(ports, { recursive: true, force: true });
    await mkdir(ports);
    const jetstream = this.#settings.includes('jetstream')
      ? this.#settings.replace('STORE', JSON.stringify(join(this.#directory, 'store')))
      : `${this.#settings}\njetstream { store_dir: ${JSON.stringify(join(this.#directory, 'store'))} }`;
    await writeFile(
      config,
      `host: 127.0.0.1\nport: ${this.#port}\nhttp: 127.0.0.1:-1\n` +
        `ports_file_dir: ${JSON.stringify(ports)}\n${jetstream}\n`,
    );
    const child = spawn(this.#program.path, ['-c', config], { stdio: 'ignore' });
    this.#child = child;
    // A test that is ended early leaves nothing behind.
    const end = (): void => {
      child.kill('SIGKILL');
      rmSync(this.#directory, { recursive: true, force: true });
    };
    process.once('exit', end);
    child.once('exit', () => process.off('exit', end));
    const file = join(ports, `${basename(this.#program.path)}_${child.pid}.ports`);
    for (let asked = 0; asked < 2_000 && child.exitCode === null; asked++) {
      const text = await readFile(file, 'utf8').catch(() => '');
      const port = /"nats":\s*\["[a-z]+:\/\/[^"]*:(\d+)"/.exec(text)?.[1];
      const monitor = /"monitoring":\s*\["([^"]+)"/.exec(text)?.[1];
      if (port !== undefined && monitor !== undefined) {
        this.#port = Number(port);
        this.#monitor = monitor;
        return;
      }
      await setTimeout(5);
    }
    throw new Error(`${this.#program.path} did not start with ${config}`);
  }

  /** Whether it has caught up with the servers of its cluster, and its streams are served. */
  async isHealthy(): Promise<boolean> {
    const { ok } = await fetch(`${this.#monitor}/healthz`);
    return ok;
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop('SIGKILL');
    await rm(this.#directory, { recursive: true });
  }
}
