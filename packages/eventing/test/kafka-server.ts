import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './until.ts';

const libraries = join(import.meta.dirname, '../../..', 'node_modules/.cache/clients/kafka/libs');

/** Why a test with a broker of Kafka cannot run here; `false` when it can. */
export const lacksKafka: string | false =
  !existsSync(libraries) && 'Kafka is not there; .ci/clients fetches it';

export interface KafkaSettings {
  /** Who may come in, and with which password; the listener then asks for SASL. */
  readonly users?: Readonly<Record<string, string>>;
}

/** A broker of Kafka; it keeps its port and its topics when it starts again. */
export class KafkaServer implements AsyncDisposable {
  readonly address: string;
  readonly #directory: string;
  #child: ChildProcess | undefined;

  private constructor(directory: string, port: number) {
    this.#directory = directory;
    this.address = `127.0.0.1:${port}`;
  }

  static async start(settings: KafkaSettings = {}): Promise<KafkaServer> {
    const directory = await mkdtemp(join(tmpdir(), 'fnlet-kafka-'));
    const ports = await freePorts(3);
    const server = new KafkaServer(directory, ports[0] ?? 0);
    const properties = propertiesOf(settings, { directory, ports });
    await writeFile(join(directory, 'server.properties'), properties);
    await writeFile(join(directory, 'log4j.properties'), 'log4j.rootLogger=OFF\n');
    const id = Buffer.alloc(16, 7).toString('base64url');
    execFileSync('java', [
      ...server.#java,
      'kafka.tools.StorageTool',
      ...['format', '-t', id, '-c', join(directory, 'server.properties')],
    ]);
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    const file = join(this.#directory, 'server.properties');
    this.#child = spawn('java', [...this.#java, 'kafka.Kafka', file], { stdio: 'ignore' });
    await until(() => isListening(this.address), { what: 'Kafka to listen', timeoutMs: 60_000 });
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    const ended = once(child, 'exit');
    // It has nothing to hand over: what is acknowledged is in its log.
    child.kill('SIGKILL');
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await rm(this.#directory, { recursive: true, force: true });
  }

  get #java(): readonly string[] {
    const logging = `-Dlog4j.configuration=file:${join(this.#directory, 'log4j.properties')}`;
    return ['-Xmx256m', '-XX:+UseSerialGC', logging, '-cp', `${libraries}/*`];
  }
}

interface Place {
  readonly directory: string;
  readonly ports: readonly number[];
}

function propertiesOf({ users }: KafkaSettings, { directory, ports }: Place): string {
  const [outside, inside, controller] = ports;
  const protocol = users === undefined ? 'PLAINTEXT' : 'SASL_PLAINTEXT';
  const logins = Object.entries(users ?? {}).map(([name, word]) => `user_${name}="${word}"`);
  const plain = 'org.apache.kafka.common.security.plain.PlainLoginModule required';
  const addresses = `OUTSIDE://127.0.0.1:${outside},INSIDE://127.0.0.1:${inside}`;
  return [
    'process.roles=broker,controller',
    'node.id=1',
    `controller.quorum.voters=1@127.0.0.1:${controller}`,
    `listeners=${addresses},CONTROLLER://127.0.0.1:${controller}`,
    `advertised.listeners=${addresses}`,
    'controller.listener.names=CONTROLLER',
    'inter.broker.listener.name=INSIDE',
    `listener.security.protocol.map=CONTROLLER:PLAINTEXT,INSIDE:PLAINTEXT,OUTSIDE:${protocol}`,
    'sasl.enabled.mechanisms=PLAIN',
    `listener.name.outside.plain.sasl.jaas.config=${plain} ${logins.join(' ')};`,
    `log.dirs=${join(directory, 'data')}`,
    'offsets.topic.replication.factor=1',
    'offsets.topic.num.partitions=1',
    'transaction.state.log.replication.factor=1',
    'transaction.state.log.min.isr=1',
    'group.initial.rebalance.delay.ms=0',
  ].join('\n');
}

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => portOf(server.address()));
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('It does not listen');
  return address.port;
}

async function isListening(address: string): Promise<boolean> {
  const [host = '', port = ''] = address.split(':');
  const socket = connect(Number(port), host);
  try {
    await once(socket, 'connect');
    return true;
  } finally {
    socket.destroy();
  }
}
