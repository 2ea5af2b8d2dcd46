import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isJsonObject } from '@fnlet/base';
import { signAwsRequest } from '../src/sources/kinesis/aws-signature.ts';
import { missingBroker } from './missing-broker.ts';
import { until } from './until.ts';

const folder = join(import.meta.dirname, '../../..', 'node_modules/.cache/clients/kinesalite');

/** Why a test with a server of Kinesis cannot run here; `false` when it can. */
export const lacksKinesis: string | false = missingBroker(
  existsSync(join(folder, 'node_modules/kinesalite')),
  'kinesalite',
);

const program = `
  const [path, port] = process.argv.slice(1);
  const settings = { path, createStreamMs: 5, deleteStreamMs: 5, updateStreamMs: 5, shardLimit: 99 };
  const server = require('kinesalite')(settings);
  server.listen(Number(port), '127.0.0.1', () => console.log(server.address().port));
`;

/** A request that the client of AWS has signed. */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const signing = `
  const { KinesisClient, PutRecordCommand } = require('@aws-sdk/client-kinesis');
  const [accessKeyId, secretAccessKey, sessionToken] = process.argv.slice(1);
  const requestHandler = {
    async handle({ headers, body }) {
      console.log(JSON.stringify({ headers, body: Buffer.from(body).toString('base64') }));
      process.exit();
    },
  };
  const client = new KinesisClient({
    region: 'eu-central-1',
    credentials: { accessKeyId, secretAccessKey, sessionToken },
    requestHandler,
  });
  client.send(new PutRecordCommand({ StreamName: 's', PartitionKey: 'k', Data: Buffer.from('d') }));
`;

/** A request to put a record, as the client of AWS signs it; `body` is Base64. */
export function signWithAws(...credentials: readonly string[]): SignedRequest {
  const printed = execFileSync(process.execPath, ['-e', signing, ...credentials], {
    cwd: folder,
    stdio: 'pipe',
  });
  return JSON.parse(printed.toString());
}

/** A server of Kinesis; it keeps its port and its streams when it starts again. */
export class KinesisServer implements AsyncDisposable {
  readonly #directory: string;
  #child: ChildProcess | undefined;
  #port = 0;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async start(): Promise<KinesisServer> {
    const server = new KinesisServer(await mkdtemp(join(tmpdir(), 'fnlet-kinesis-')));
    await server.start();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    const path = join(this.#directory, 'data');
    const child = spawn(process.execPath, ['-e', program, path, String(this.#port)], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    const [printed] = await once(child.stdout, 'data');
    this.#port = Number(String(printed));
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await rm(this.#directory, { recursive: true, force: true });
  }

  async ask(operation: string, body: object): Promise<Readonly<Record<string, unknown>>> {
    const bytes = Buffer.from(JSON.stringify(body));
    const headers = signAwsRequest(
      {
        host: new URL(this.url).host,
        headers: {
          'content-type': 'application/x-amz-json-1.1',
          'x-amz-target': `Kinesis_20131202.${operation}`,
        },
        body: bytes,
      },
      {
        credentials: { accessKeyId: 'A', secretAccessKey: 'S' },
        scope: { region: 'us-east-1', service: 'kinesis' },
      },
      Date.now(),
    );
    const answer = await fetch(this.url, { method: 'POST', headers, body: bytes });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${operation} was answered ${answer.status}: ${text}`);
    const value: unknown = text === '' ? {} : JSON.parse(text);
    return isJsonObject(value) ? value : {};
  }

  async createStream(name: string, shards: number): Promise<void> {
    await this.ask('CreateStream', { StreamName: name, ShardCount: shards });
    await this.settled(name);
  }

  /** Returns where it is, as the id of its event has it. */
  async put(stream: string, key: string, data: string): Promise<string> {
    const Data = Buffer.from(data).toString('base64');
    const body = { StreamName: stream, PartitionKey: key, Data };
    const { ShardId, SequenceNumber } = await this.ask('PutRecord', body);
    return `${ShardId}:${SequenceNumber}`;
  }

  /** Splits a shard in its middle. */
  async split(stream: string, shard: string): Promise<void> {
    const { Shards: shards } = await this.ask('ListShards', { StreamName: stream });
    const found = Array.isArray(shards) ? shards.find(({ ShardId }) => ShardId === shard) : {};
    const { StartingHashKey: low, EndingHashKey: high } = found.HashKeyRange;
    const middle = (BigInt(low) + BigInt(high) + 1n) / 2n;
    const body = { StreamName: stream, ShardToSplit: shard, NewStartingHashKey: String(middle) };
    await this.ask('SplitShard', body);
    await this.settled(stream);
  }

  async merge(stream: string, shard: string, next: string): Promise<void> {
    const body = { StreamName: stream, ShardToMerge: shard, AdjacentShardToMerge: next };
    await this.ask('MergeShards', body);
    await this.settled(stream);
  }

  /** Resolves once the stream takes records. */
  async settled(stream: string): Promise<void> {
    const isActive = async (): Promise<boolean> => {
      const { StreamDescriptionSummary: found } = await this.ask('DescribeStreamSummary', {
        StreamName: stream,
      });
      return isJsonObject(found) && found.StreamStatus === 'ACTIVE';
    };
    await until(isActive, { what: `stream "${stream}" to be active` });
  }
}
