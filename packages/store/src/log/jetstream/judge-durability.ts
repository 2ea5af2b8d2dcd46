import { isJsonObject } from '@fnlet/base';
import type { Log } from '../log.ts';

/** How a server flushes what it acknowledges, as its monitoring tells. */
export interface ServerSettings {
  readonly syncsAlways: boolean;
  /** Nanoseconds between two flushes. */
  readonly syncInterval: number | undefined;
}

export interface DurabilityFacts {
  /** Of the server. */
  readonly version: string;
  readonly replicas: number;
  /** `undefined`: nobody told. */
  readonly settings: ServerSettings | undefined;
}

export interface DurabilityJudgement {
  readonly durability: Log['durability'];
  /** What was found, for people. */
  readonly found: string;
}

/**
 * What an acknowledgement of JetStream is worth. By default the server flushes every two minutes:
 * until then what it acknowledged is lost with the power, or, replicated, when the power of most
 * servers fails (nats-server#7564; jepsen.io/analyses/nats-2.12.1). A client is not told by the
 * protocol; the monitoring tells, from 2.10 on. Before 2.10 it cannot be set.
 */
export function judgeDurability(facts: DurabilityFacts): DurabilityJudgement {
  const { version, replicas, settings } = facts;
  if (settings?.syncsAlways === true)
    return { durability: 'flushed', found: 'sync_interval: always' };
  const durability = replicas > 1 ? 'replicated' : 'eventuallyFlushed';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 2 || (major === 2 && minor < 10)) {
    return { durability, found: `nats-server ${version}, which flushes every two minutes` };
  }
  if (settings === undefined) {
    return { durability, found: 'no monitoring address, which would tell how the server flushes' };
  }
  const seconds = (settings.syncInterval ?? 120e9) / 1e9;
  return { durability, found: `a server that flushes every ${seconds} s` };
}

/** Asks the server's monitoring; `undefined` when it does not tell. */
export async function readServerSettings(monitor: string): Promise<ServerSettings | undefined> {
  try {
    const answer = await fetch(new URL('/varz', monitor), { signal: AbortSignal.timeout(5_000) });
    return parseServerSettings(await answer.json());
  } catch {
    return undefined;
  }
}

function parseServerSettings(varz: unknown): ServerSettings | undefined {
  const jetstream = isJsonObject(varz) ? varz.jetstream : undefined;
  const config = isJsonObject(jetstream) ? jetstream.config : undefined;
  if (!isJsonObject(config)) return undefined;
  const { sync_always: always, sync_interval: interval } = config;
  return {
    syncsAlways: always === true,
    syncInterval: typeof interval === 'number' ? interval : undefined,
  };
}
