import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingBroker } from './missing-broker.ts';
import { until } from './until.ts';

const clients = join(import.meta.dirname, '../../..', 'node_modules', '.cache', 'clients');
const programs = ['nats-server-sid', 'nats-server-bookworm'].map((name) => join(clients, name));
const program = programs.find((path) => existsSync(path));

/** Why a test with a server of NATS cannot run here; `false` when it can. */
export const lacksNatsServer: string | false = missingBroker(program !== undefined, 'nats-server');

/** A server of NATS with JetStream; it keeps its port and its streams when it starts again. */
export class NatsServer implements AsyncDisposable {
  readonly #directory: string;
  #settings: string;
  #child: ChildProcess | undefined;
  #port = -1;

  private constructor(directory: string, settings: string) {
    this.#directory = directory;
    this.#settings = settings;
  }

  /** @param settings more lines of its configuration */
  static async start(settings = ''): Promise<NatsServer> {
    const server = new NatsServer(await mkdtemp(join(tmpdir(), 'fnlet-nats-')), settings);
    await server.start();
    return server;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.#port}`;
  }

  /** @param settings in place of those that it had */
  async start(settings: string = this.#settings): Promise<void> {
    this.#settings = settings;
    const directory = this.#directory;
    const file = join(directory, 'nats.conf');
    const text = [
      `host: 127.0.0.1`,
      `port: ${this.#port}`,
      `ports_file_dir: ${JSON.stringify(directory)}`,
      `jetstream { store_dir: ${JSON.stringify(join(directory, 'store'))} }`,
      this.#settings,
    ];
    await writeFile(file, text.join('\n'));
    const child = spawn(program ?? 'nats-server', ['-c', file], { stdio: 'ignore' });
    this.#child = child;
    await until(
      async () => {
        this.#port = await readPort(directory, child.pid);
        return this.#port > 0;
      },
      { what: 'the server of NATS to listen' },
    );
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await rm(this.#directory, { recursive: true, force: true });
  }
}

async function readPort(directory: string, pid: number | undefined): Promise<number> {
  const names = await readdir(directory);
  const name = names.find((each) => each.endsWith('.ports') && each.includes(`_${pid}.`));
  if (name === undefined) return -1;
  const found = /"nats":\s*\[\s*"(?:nats|tls):\/\/[^"]*:(\d+)"/.exec(
    await readFile(join(directory, name), 'utf8'),
  );
  return found === null ? -1 : Number(found[1]);
}
