import { readFile } from 'node:fs/promises';
import type { Clock, Logger } from '@fnlet/base';
import type { JetStreamManager, StreamConfig } from '@nats-io/jetstream';
import type { Authenticator, ConnectionOptions, NatsConnection } from '@nats-io/transport-node';
import type { Log } from '../log.ts';
import { LogError } from '../log-error.ts';
import { judgeDurability, readServerSettings } from './judge-durability.ts';
import { NatsLink, toLogError } from './nats-link.ts';

type NatsModule = typeof import('@nats-io/transport-node');

/** How a client proves who it is; nothing: as anybody. */
export interface NatsCredentials {
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
  /** A file with a JWT and its seed, as `nsc` writes it, or with the seed of an nkey alone. */
  readonly credentialsFile?: string;
}

export interface NatsTls {
  /** PEM files. Default: the authorities of the system, and no certificate of one's own. */
  readonly caFile?: string;
  readonly certificateFile?: string;
  readonly keyFile?: string;
}

export interface JetStreamOptions extends NatsCredentials {
  /** Addresses such as `nats://host:4222`. `tls://` is encrypted from the start of the talk. */
  readonly servers: readonly string[];
  /** What subjects begin with and the JetStream stream is called by. Default: `fnlet`. */
  readonly name?: string;
  /** How many servers keep every message; 3 in a cluster. Default: 1. */
  readonly replicas?: number;
  readonly tls?: NatsTls;
  /** The server's monitoring, such as `http://host:8222`: it tells how messages are flushed. */
  readonly monitor?: string;
  /** Whether to refuse a server whose acknowledgements are not known to be flushed. Default: no. */
  readonly requireDurable?: boolean;
}

interface ConnectContext {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Connects, makes the JetStream stream when it is not there, and judges what an answer is worth. */
export async function connectJetStream(
  options: JetStreamOptions,
  { clock, logger }: ConnectContext,
): Promise<{ readonly link: NatsLink; readonly durability: Log['durability'] }> {
  const nats = await import('@nats-io/transport-node');
  const { jetstreamManager } = await import('@nats-io/jetstream');
  const { name = 'fnlet', replicas = 1 } = options;
  let connection: NatsConnection | undefined;
  try {
    connection = await nats.connect(await connectionOptions(options));
    const manager = await jetstreamManager(connection);
    await ensureStream(manager, { name, replicas });
    const durability = await checkDurability(options, { connection, logger });
    const link = new NatsLink({
      connection,
      manager,
      direct: replicas === 1 ? manager.direct : undefined,
      newHeaders: nats.headers,
      newId: () => nats.nuid.next(),
      stream: `${name}-log`,
      clock,
    });
    return { link, durability };
  } catch (error) {
    await connection?.close();
    throw toLogError(error);
  }
}

/** How these servers are connected to. */
export async function connectionOptions(options: JetStreamOptions): Promise<ConnectionOptions> {
  const nats = await import('@nats-io/transport-node');
  const { caFile, certificateFile, keyFile } = options.tls ?? {};
  const tls = {
    ...(caFile === undefined ? {} : { caFile }),
    ...(certificateFile === undefined ? {} : { certFile: certificateFile }),
    ...(keyFile === undefined ? {} : { keyFile }),
  };
  const authenticator = await authenticatorOf(options, nats);
  return {
    servers: [...options.servers],
    name: 'fnlet',
    // The server may be away for any time: appends wait, and then say so.
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    ...(authenticator === undefined ? {} : { authenticator }),
    ...(options.tls === undefined ? {} : { tls }),
  };
}

async function authenticatorOf(
  { user, password, token, credentialsFile }: NatsCredentials,
  nats: NatsModule,
): Promise<Authenticator | undefined> {
  if (credentialsFile !== undefined) {
    const text = await readFile(credentialsFile);
    return text.includes('BEGIN NATS USER JWT')
      ? nats.credsAuthenticator(text)
      : nats.nkeyAuthenticator(Buffer.from(text.toString().trim()));
  }
  if (token !== undefined) return nats.tokenAuthenticator(token);
  return user === undefined ? undefined : nats.usernamePasswordAuthenticator(user, password);
}

async function ensureStream(
  manager: JetStreamManager,
  { name, replicas }: { name: string; replicas: number },
): Promise<void> {
  const wanted: Partial<StreamConfig> & { name: string } = {
    name: `${name}-log`,
    subjects: [`${name}.log.>`],
    storage: 'file',
    num_replicas: replicas,
    allow_direct: true,
    allow_rollup_hdrs: true,
  };
  const found = await manager.streams.info(wanted.name).catch(() => undefined);
  if (found === undefined) await manager.streams.add(wanted);
  else if (found.config.num_replicas !== replicas) {
    await manager.streams.update(wanted.name, { num_replicas: replicas });
  }
}

async function checkDurability(
  options: JetStreamOptions,
  { connection, logger }: { connection: NatsConnection; logger: Logger },
): Promise<Log['durability']> {
  const { replicas = 1, requireDurable = false } = options;
  const version = connection.info?.version ?? '0.0.0';
  const settings =
    options.monitor === undefined ? undefined : await readServerSettings(options.monitor);
  const { durability, found } = judgeDurability({ version, replicas, settings });
  if (durability === 'flushed') return durability;
  const remedy =
    'Run nats-server 2.10 or later with sync_interval: always in its jetstream block, and give ' +
    'the address of its monitoring';
  if (requireDurable) {
    throw new LogError(
      'NotDurable',
      `Cannot use the NATS server: found ${found}, expected acknowledgements after the flush`,
      { remedy },
    );
  }
  logger.warn(
    `Events acknowledged by NATS may be lost when power fails: found ${found}. ${remedy}`,
  );
  return durability;
}
