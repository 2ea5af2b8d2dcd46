import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KafkaSasl } from '@fnlet/api';
import { missingBroker } from './missing-broker.ts';
import type { TestAuthority, TestCertificate } from './test-authority.ts';
import { until } from './until.ts';

const libraries = join(import.meta.dirname, '../../..', 'node_modules/.cache/clients/kafka/libs');

/** Why a test with a broker of Kafka cannot run here; `false` when it can. */
export const lacksKafka: string | false = missingBroker(existsSync(libraries), 'Kafka');

export interface KafkaSettings {
  /** Which cluster it is, by a number up to 255. Default: 7. */
  readonly cluster?: number;
  /** Who may come in, and with which password; the listener then asks for SASL. */
  readonly users?: Readonly<Record<string, string>>;
  /** How they show their password. Default: PLAIN. */
  readonly mechanism?: KafkaSasl;
  /** What the listener shows clients; they are then asked to speak TLS. */
  readonly tls?: {
    readonly authority: TestAuthority;
    readonly own: TestCertificate;
    /** Whether they have to show a certificate of the authority, too. */
    readonly asksClients?: boolean;
  };
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
    const { tls } = settings;
    if (tls !== undefined) {
      const { authority, own } = tls;
      await writeFile(join(directory, 'trusted.pem'), authority.certificate);
      await writeFile(join(directory, 'own.pem'), own.key + own.certificate);
    }
    const id = Buffer.alloc(16, settings.cluster ?? 7).toString('base64url');
    execFileSync('java', [
      ...server.#java,
      'kafka.tools.StorageTool',
      ...['format', '-t', id, '-c', join(directory, 'server.properties')],
      ...scramUsers(settings),
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

/** Who is known to SCRAM: that is kept with what the broker keeps, and not in its settings. */
function scramUsers({ users = {}, mechanism = 'PLAIN' }: KafkaSettings): readonly string[] {
  if (mechanism === 'PLAIN') return [];
  return Object.entries(users).flatMap(([name, word]) => [
    '--add-scram',
    `${mechanism}=[name=${name},password=${word}]`,
  ]);
}

function loginOf({ users = {}, mechanism = 'PLAIN' }: KafkaSettings): string {
  const security = 'org.apache.kafka.common.security';
  if (mechanism !== 'PLAIN') return `${security}.scram.ScramLoginModule required;`;
  const logins = Object.entries(users).map(([name, word]) => `user_${name}="${word}"`);
  return `${security}.plain.PlainLoginModule required ${logins.join(' ')};`;
}

function tlsLines({ tls }: KafkaSettings, directory: string): readonly string[] {
  if (tls === undefined) return [];
  const ssl = 'listener.name.outside.ssl';
  return [
    `${ssl}.keystore.type=PEM`,
    `${ssl}.keystore.location=${join(directory, 'own.pem')}`,
    `${ssl}.truststore.type=PEM`,
    `${ssl}.truststore.location=${join(directory, 'trusted.pem')}`,
    `${ssl}.client.auth=${tls.asksClients === true ? 'required' : 'none'}`,
  ];
}

function propertiesOf(settings: KafkaSettings, { directory, ports }: Place): string {
  const { users, tls, mechanism = 'PLAIN' } = settings;
  const [outside, inside, controller] = ports;
  const encryption = tls === undefined ? 'PLAINTEXT' : 'SSL';
  const protocol = users === undefined ? encryption : `SASL_${encryption}`;
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
    `sasl.enabled.mechanisms=${mechanism}`,
    `listener.name.outside.${mechanism.toLowerCase()}.sasl.jaas.config=${loginOf(settings)}`,
    ...tlsLines(settings, directory),
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
