/** How the NATS that keeps the events of an installation is, as its controller sees it. */
import { errorMessage, isJsonObject } from '@fnlet/base';
import { recordsVersion } from '@fnlet/server/cluster/names';
import type { JetStreamHealth, StreamHealth } from '@fnlet/store/log';
import type { ClusterConnection } from './cluster-connection.ts';
import type { Finding } from './finding.ts';

/** What the controller told; or why nobody knows. */
export type NatsFact =
  | { readonly kind: 'told'; readonly health: JetStreamHealth }
  /** The cluster's API passes nothing on to the controller. */
  | { readonly kind: 'notAsked' }
  | { readonly kind: 'untold'; readonly message: string };

const path = `/apis/events.fnlet.dev/${recordsVersion}/eventlogs`;

/** Of the storage that JetStream may use, where people should look. */
const fullShare = 0.9;

/** Asks the controller, by the cluster's API: NATS is reached from inside. */
export async function readNats({
  transport,
  signal,
}: Pick<ClusterConnection, 'transport' | 'signal'>): Promise<NatsFact> {
  try {
    const response = await transport.request({ method: 'GET', path, signal });
    const found = await response.json();
    if (response.status === 200) {
      const health = isJsonObject(found) ? parseHealth(found.nats) : undefined;
      if (health !== undefined) return { kind: 'told', health };
      return { kind: 'untold', message: 'the controller is of another release' };
    }
    if (response.status === 404) return { kind: 'notAsked' };
    const { message } = isJsonObject(found) ? found : {};
    return { kind: 'untold', message: `${message ?? `status ${response.status}`}` };
  } catch (error) {
    if (signal.aborted) throw error;
    return { kind: 'untold', message: errorMessage(error) };
  }
}

/** What `fnlet doctor` says about it. */
export function judgeNats(fact: NatsFact): readonly Finding[] {
  const check = 'NATS';
  if (fact.kind === 'notAsked') {
    const found = 'not looked at: the cluster’s API does not ask the controller (aggregatedApi)';
    return [{ check, state: 'ok', found }];
  }
  if (fact.kind === 'untold') {
    const remedy = 'The controller that leads looks at it: see aggregation, leader';
    return [{ check, state: 'warn', found: `not looked at: ${fact.message}`, remedy }];
  }
  const { health } = fact;
  if (health.kind === 'unreachable') {
    const remedy =
      'No event is taken until it is: look at its Pods, NetworkPolicies, and the address and ' +
      'credentials in events.log or events.logSecret';
    return [{ check, state: 'fail', found: `not reached: ${health.message}`, remedy }];
  }
  const version = `nats-server ${health.version}`;
  if (health.kind === 'noJetStream') {
    const remedy =
      'Nothing is kept without: turn it on (a jetstream block in its configuration) for the ' +
      'account of Fnlet; in a cluster of NATS most servers have to run';
    const found = `${version}, whose JetStream does not answer: ${health.message}`;
    return [{ check, state: 'fail', found, remedy }];
  }
  return [
    { check, state: 'ok', found: `${version} with JetStream` },
    judgeDurability(health),
    judgeReplicas(health),
    judgeStorage(health),
  ];
}

type Kept = Extract<JetStreamHealth, { readonly kind: 'jetStream' }>;

function judgeDurability({ durability, found }: Kept): Finding {
  const check = 'NATS durability';
  if (durability === 'flushed') {
    return { check, state: 'ok', found: `what is acknowledged is on the disk: ${found}` };
  }
  const lost =
    durability === 'replicated'
      ? 'lost when the power of most servers fails at once'
      : 'lost when the power fails';
  const remedy =
    'Run nats-server 2.10 or later with sync_interval: always in its jetstream block, and name ' +
    'its monitoring in events.log: …?monitor=http://host:8222';
  return { check, state: 'warn', found: `events may be ${lost}: found ${found}`, remedy };
}

function judgeReplicas({ stream, replicasWanted }: Kept): Finding {
  const check = 'NATS replicas';
  if (stream === null) {
    const found = `the stream is made by the first event, with ${replicasWanted}`;
    return { check, state: 'ok', found };
  }
  const { name, replicas, current, isLed } = stream;
  const found = `${current} of ${replicas} servers have the stream ${name}`;
  if (!isLed) {
    const remedy = 'No event is taken: bring its servers back, most of them have to run';
    return { check, state: 'fail', found: `${found}, and none leads it`, remedy };
  }
  if (current < replicas) {
    return { check, state: 'warn', found, remedy: 'Bring the other servers of NATS back' };
  }
  if (replicas !== replicasWanted) {
    const remedy = 'The controller changes that when it begins to lead: restart it';
    return { check, state: 'warn', found: `${found}, asked for ${replicasWanted}`, remedy };
  }
  return { check, state: 'ok', found };
}

function judgeStorage({ storage: { usedBytes, bytesMax } }: Kept): Finding {
  const check = 'NATS storage';
  const used = `${mebibytes(usedBytes)} MiB used`;
  if (bytesMax === null) return { check, state: 'ok', found: `${used}, without a limit` };
  const found = `${used} of ${mebibytes(bytesMax)}`;
  if (usedBytes < bytesMax * fullShare) return { check, state: 'ok', found };
  const remedy = 'Events are refused when it is full: give JetStream more, or look at what waits';
  return { check, state: 'warn', found, remedy };
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / 1_048_576);
}

function parseHealth(value: unknown): JetStreamHealth | undefined {
  if (!isJsonObject(value)) return undefined;
  const { kind, version, message, found, replicasWanted } = value;
  if (kind === 'unreachable') return { kind, message: `${message}` };
  if (typeof version !== 'string') return undefined;
  if (kind === 'noJetStream') return { kind, version, message: `${message}` };
  const durability = durabilities.find((each) => each === value.durability);
  const storage = isJsonObject(value.storage) ? value.storage : {};
  const { usedBytes, bytesMax } = storage;
  const isWhole = typeof replicasWanted === 'number' && typeof usedBytes === 'number';
  if (kind !== 'jetStream' || durability === undefined || !isWhole) return undefined;
  return {
    ...{ kind, version, durability, replicasWanted, found: `${found}` },
    stream: parseStream(value.stream),
    storage: { usedBytes, bytesMax: typeof bytesMax === 'number' ? bytesMax : null },
  };
}

const durabilities = ['flushed', 'replicated', 'eventuallyFlushed'] as const;

function parseStream(value: unknown): StreamHealth | null {
  if (!isJsonObject(value)) return null;
  const { name, replicas, current, isLed } = value;
  const isWhole = typeof replicas === 'number' && typeof current === 'number';
  return isWhole ? { name: `${name}`, replicas, current, isLed: isLed === true } : null;
}
