/** What the sources of Triggers are asked for by flags; each is a field of the source. */
export interface SourceFlag {
  readonly usage: string;
  readonly description: string;
  /** Where it stands in `spec.source.<kind>`. */
  readonly field: string;
  readonly isRequired?: boolean;
  /** How one value is written there. Default: as it was given. */
  readonly read?: (text: string) => unknown;
  /** Whether it may be given several times. */
  readonly isList?: boolean;
}

/** A kind of source that can be created by flags. */
export interface SourceFlags {
  readonly description: string;
  readonly flags: readonly SourceFlag[];
}

const required = { isRequired: true } as const;
const list = { isList: true } as const;

function secret(holds: string): SourceFlag {
  return { usage: '--secret <name>', field: 'secret', description: `a Secret with ${holds}` };
}

const from: SourceFlag = {
  usage: '--from <where>',
  field: 'from',
  description: 'where it begins: oldest or newest',
};

/** The kinds of sources, by their names in `spec.source`. */
export const triggerSourceFlags: Readonly<Record<string, SourceFlags>> = {
  http: {
    description: 'requests to the Gateway, handed to a Function or, with --events, kept as events',
    flags: [
      { usage: '--host <name>', field: 'hosts', description: 'a host', ...list },
      {
        usage: '--path <prefix>',
        field: 'paths',
        description: 'a path, and those below it',
        read: (prefix) => ({ prefix }),
        ...list,
      },
      { usage: '--method <method>', field: 'methods', description: 'such as POST', ...list },
      {
        usage: '--events <format>',
        field: 'events',
        description: 'keep requests as events: cloudevents, webhook or any',
        read: (format) => ({ format }),
      },
    ],
  },
  cron: {
    description: 'times',
    flags: [
      {
        usage: '--schedule <expression>',
        field: 'schedule',
        description: 'such as "0 8 * * mon-fri", or "@every 90s"',
        ...required,
      },
      { usage: '--time-zone <name>', field: 'timeZone', description: 'such as Europe/Berlin' },
      { usage: '--missed <what>', field: 'missed', description: 'skip, once or all' },
      {
        usage: '--concurrency-policy <policy>',
        field: 'concurrencyPolicy',
        description: 'Allow, Forbid or Replace',
      },
      {
        usage: '--data <text>',
        field: 'data',
        description: 'what events carry; JSON as JSON',
        read: readData,
      },
    ],
  },
  kubernetes: {
    description: 'changes of objects',
    flags: [
      {
        usage: '--api-version <version>',
        field: 'apiVersion',
        description: 'such as apps/v1',
        ...required,
      },
      { usage: '--kind <kind>', field: 'kind', description: 'such as Deployment', ...required },
      {
        usage: '--from-namespace <name>',
        field: 'namespaces',
        description: 'where they are; * everywhere (default: where the Trigger is)',
        ...list,
      },
      { usage: '-l, --selector <labels>', field: 'labelSelector', description: 'which of them' },
      { usage: '--field-selector <fields>', field: 'fieldSelector', description: 'which of them' },
      {
        usage: '--change <change>',
        field: 'changes',
        description: 'add, update or delete (default: all)',
        ...list,
      },
      { usage: '--when <cel>', field: 'when', description: 'CEL over object and oldObject' },
      {
        usage: '--service-account <name>',
        field: 'serviceAccountName',
        description: 'who must be allowed to see them',
      },
    ],
  },
  nats: {
    description: 'messages of NATS or JetStream',
    flags: [
      {
        usage: '--server <url>',
        field: 'servers',
        description: 'such as nats://nats:4222',
        ...list,
        ...required,
      },
      { usage: '--subject <subject>', field: 'subject', description: 'with * and >' },
      { usage: '--queue-group <name>', field: 'queueGroup', description: 'who shares a subject' },
      { usage: '--stream <name>', field: 'stream', description: 'a stream of JetStream' },
      { usage: '--consumer <name>', field: 'consumer', description: 'a consumer that is there' },
      from,
      secret('user and password, token, nkey or creds'),
    ],
  },
  kafka: {
    description: 'records of topics of Kafka',
    flags: [
      {
        usage: '--server <host:port>',
        field: 'servers',
        description: 'a broker to begin with',
        ...list,
        ...required,
      },
      { usage: '--topic <name>', field: 'topics', description: 'a topic', ...list, ...required },
      { usage: '--consumer-group <name>', field: 'consumerGroup', description: 'who shares them' },
      from,
      { usage: '--sasl <mechanism>', field: 'sasl', description: 'PLAIN, SCRAM-SHA-256 or -512' },
      secret('user and password, ca.crt, tls.crt and tls.key'),
    ],
  },
  kinesis: {
    description: 'records of a stream of Kinesis',
    flags: [
      { usage: '--stream <name>', field: 'stream', description: 'name of a stream', ...required },
      {
        usage: '--region <name>',
        field: 'region',
        description: 'region of AWS, such as eu-central-1',
        ...required,
      },
      { usage: '--endpoint <url>', field: 'endpoint', description: 'where Kinesis answers' },
      { ...from, description: 'where it begins: oldest, newest or a time' },
      {
        ...secret('aws_access_key_id and aws_secret_access_key'),
        ...required,
      },
    ],
  },
  custom: {
    description: 'events that a program of yours sends, with the token in Secret <name>-source',
    flags: [
      {
        usage: '--image <image>',
        field: 'template',
        description: 'a container that sends them (default: run it yourself)',
        read: (image) => ({ spec: { containers: [{ name: 'source', image }] } }),
      },
    ],
  },
  broker: {
    description: 'events of a Broker',
    flags: [
      { usage: '--broker <name>', field: 'name', description: 'name of the Broker', ...required },
      { ...from, description: 'begin with what is kept (oldest) or what comes (newest)' },
    ],
  },
};

function readData(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
