import { errorMessage } from '@fnlet/base';
import type { JetStreamManager, StreamInfo } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Log } from '../log.ts';
import { connectionOptions, type JetStreamOptions } from './connect-jetstream.ts';
import { judgeDurability, readServerSettings } from './judge-durability.ts';
import { limits } from './limits.ts';

/** How NATS servers are that keep a log, as somebody finds who looks once. */
export type JetStreamHealth =
  /** Nobody answers, or they do not let us in. */
  | { readonly kind: 'unreachable'; readonly message: string }
  /** They answer, and JetStream does not: it is off, not for this account, or nobody leads it. */
  | { readonly kind: 'noJetStream'; readonly version: string; readonly message: string }
  | {
      readonly kind: 'jetStream';
      readonly version: string;
      readonly durability: Log['durability'];
      /** What that was concluded from, for people. */
      readonly found: string;
      /** How many servers are to keep each message. */
      readonly replicasWanted: number;
      /** `null`: nothing was kept yet. */
      readonly stream: StreamHealth | null;
      readonly storage: {
        readonly usedBytes: number;
        /** `null`: as much as the disk of the servers has. */
        readonly bytesMax: number | null;
      };
    };

/** Of the one that a log is in. */
export interface StreamHealth {
  readonly name: string;
  readonly replicas: number;
  /** Of these, those that have all of it, or nearly. */
  readonly current: number;
  /** Whether one of them leads: without it nothing is taken. */
  readonly isLed: boolean;
}

/** Connects, looks and goes; makes nothing. */
export async function inspectJetStream(options: JetStreamOptions): Promise<JetStreamHealth> {
  // Loaded by who looks: most logs are in no NATS.
  const { connect } = await import('@nats-io/transport-node');
  let connection: NatsConnection;
  try {
    const terms = await connectionOptions(options);
    const timeout = limits.answerMsMax;
    connection = await connect({ ...terms, reconnect: false, timeout });
  } catch (error) {
    return { kind: 'unreachable', message: reasonOf(error) };
  }
  try {
    return await inspect(connection, options);
  } finally {
    await connection.close();
  }
}

async function inspect(
  connection: NatsConnection,
  options: JetStreamOptions,
): Promise<JetStreamHealth> {
  const { name = 'fnlet', replicas = 1, monitor } = options;
  const version = connection.info?.version ?? '0.0.0';
  const { jetstreamManager } = await import('@nats-io/jetstream');
  try {
    const manager = await jetstreamManager(connection, { timeout: limits.answerMsMax });
    const account = await manager.getAccountInfo();
    const stream = await findStream(manager, name);
    const settings = monitor === undefined ? undefined : await readServerSettings(monitor);
    const { limits: bounds, storage: usedBytes } = account;
    const bytesMax = bounds.max_storage > 0 ? bounds.max_storage : null;
    return {
      ...{ kind: 'jetStream', version, replicasWanted: replicas },
      ...judgeDurability({ version, replicas, settings }),
      stream: stream === undefined ? null : judgeStream(stream),
      storage: { usedBytes, bytesMax },
    };
  } catch (error) {
    return { kind: 'noJetStream', version, message: reasonOf(error) };
  }
}

async function findStream(
  manager: JetStreamManager,
  name: string,
): Promise<StreamInfo | undefined> {
  for await (const found of manager.streams.list(`${name}.log.>`)) {
    if (found.config.name === `${name}-log`) return found;
  }
  return undefined;
}

/** A server that is alone tells of no cluster. */
function judgeStream({ config, cluster }: StreamInfo): StreamHealth {
  const { name, num_replicas: replicas } = config;
  const others = cluster?.replicas ?? [];
  const current = others.filter((peer) => peer.current && peer.offline !== true).length;
  const isLed = cluster === undefined || (cluster.leader ?? '') !== '';
  return { name, replicas, current: current + (isLed ? 1 : 0), isLed };
}

/** The innermost reason: what is around it says that a connection failed. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && cause.message !== '' ? cause.message : errorMessage(error);
}
