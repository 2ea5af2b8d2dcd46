import { errorMessage, isJsonObject } from '@fnlet/base';
import type { EventPort, KinesisClient } from '@fnlet/eventing/kinesis';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import {
  connectKubeless,
  type KubelessConnection,
  type KubelessFlags,
} from './kubeless-connection.ts';

/** Where a stream is, and who may write to it. */
export interface StreamFlags extends KubelessFlags {
  readonly awsRegion: string;
  /** Name of a Secret with the keys of AWS. */
  readonly secret: string;
  readonly endpoint?: string;
}

export interface PublishRecordFlags extends StreamFlags {
  readonly stream: string;
  readonly partitionKey: string;
  readonly records: readonly string[];
}

export interface CreateStreamFlags extends StreamFlags {
  readonly streamName: string;
  readonly shardCount: number;
}

/** `kubeless trigger kinesis publish`: writes records to a stream that this machine reaches. */
export async function publishRecords(
  flags: PublishRecordFlags,
  context: CliContext,
): Promise<void> {
  const { stream, partitionKey, records } = flags;
  const { signal, stderr } = context;
  if (records.length === 0) throw new CliError(exitCodes.usage, 'You must specify --records');
  await talk({ ...flags, stream }, context, async (client) => {
    for (const record of records) {
      const place = await client.put({ partitionKey, data: Buffer.from(record) }, signal);
      stderr.write(`Published to ${stream}: ${place.shard} ${place.sequence}\n`);
    }
  });
}

/** `kubeless trigger kinesis create-stream`: returns before the stream takes records. */
export async function createStream(flags: CreateStreamFlags, context: CliContext): Promise<void> {
  const { streamName: stream, shardCount } = flags;
  await talk({ ...flags, stream }, context, async (client) => {
    await client.create(shardCount, context.signal);
    context.stderr.write(`Stream ${stream} is being created\n`);
  });
}

async function talk(
  flags: StreamFlags & { readonly stream: string },
  context: CliContext,
  say: (client: KinesisClient) => Promise<void>,
): Promise<void> {
  const { KinesisClient, kinesisEndpoint, readAwsCredentials } = await import(
    '@fnlet/eventing/kinesis'
  );
  const { awsRegion: region, stream, endpoint = kinesisEndpoint(region) } = flags;
  const { clock, random } = context;
  await using kubeless = await connectKubeless(flags, context);
  try {
    const secret = secretReader(kubeless, context.signal);
    const credentials = await readAwsCredentials(flags.secret, { secret });
    await say(new KinesisClient({ port, endpoint, region, stream, credentials, clock, random }));
  } catch (cause) {
    const text = `Cannot use stream "${stream}": ${errorMessage(cause)}`;
    throw new CliError(exitCodes.failed, text, { cause });
  }
}

function secretReader(
  { connection: { secrets }, namespace }: KubelessConnection,
  signal: AbortSignal,
): (name: string, key: string) => Promise<string | undefined> {
  return async (name, key) => {
    const { data } = await secrets.get({ namespace, name }, { signal });
    const value = isJsonObject(data) ? data[key] : undefined;
    return typeof value === 'string' ? Buffer.from(value, 'base64').toString() : undefined;
  };
}

const port: EventPort = {
  async post({ url, headers, body }, signal) {
    const sent = { method: 'POST', headers, body, signal, redirect: 'manual' } as const;
    const answer = await fetch(url, sent);
    const { status } = answer;
    const answered = new Uint8Array(await answer.arrayBuffer());
    return { status, headers: Object.fromEntries(answer.headers), body: answered };
  },
};
