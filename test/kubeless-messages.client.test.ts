/** Messages of real brokers reach functions of Kubeless as their triggers there brought them. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Admin, Producer } from '@platformatic/kafka';
import { KafkaServer, lacksKafka } from '../packages/eventing/test/kafka-server.ts';
import { KinesisServer, lacksKinesis } from '../packages/eventing/test/kinesis-server.ts';
import { lacksNatsServer, NatsServer } from '../packages/eventing/test/nats-server.ts';
import { needsPython, pythonName } from '../runtimes/python/test/python.ts';
import { type FnletProcess, runProgram, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

const program = join(import.meta.dirname, '..', 'packages', 'cli', 'bin', 'kubeless.js');

const fields = ['id', 'type', 'time', 'namespace'].map((name) => `event-${name}`);

const sources = {
  node: {
    file: 'told.js',
    runtime: 'nodejs14',
    code: `exports.run = (event) => {
      const { headers } = event.extensions.request;
      const said = ${JSON.stringify(fields)}.map((name) => event[name]);
      console.log('told', JSON.stringify([event.data, ...said, headers['event-topic']]));
    };`,
  },
  python: {
    file: 'told.py',
    runtime: pythonName,
    code: `import json
def run(event, context):
    headers = event['extensions']['request'].headers
    data = event['data']
    data = data.decode() if isinstance(data, bytes) else data
    said = [event[name] for name in ${JSON.stringify(fields)}]
    print('told', json.dumps([data, *said, headers.get('event-topic')]), flush=True)
`,
  },
} as const;

class Workshop implements AsyncDisposable {
  readonly #fnlet: FnletProcess;
  readonly #cwd: string;

  private constructor(fnlet: FnletProcess, cwd: string) {
    this.#fnlet = fnlet;
    this.#cwd = cwd;
  }

  static async open(args: readonly string[]): Promise<Workshop> {
    const fnlet = await startFnlet({ args });
    const cwd = join(fnlet.dataDirectory, 'work');
    await mkdir(cwd);
    return new Workshop(fnlet, cwd);
  }

  async run(...args: readonly string[]): Promise<string> {
    const env = { PATH: process.env.PATH ?? '', KUBECONFIG: this.#fnlet.endpoints.kubeconfig };
    const command = [program, ...args];
    const { code, stdout, stderr } = await runProgram(process.execPath, command, {
      cwd: this.#cwd,
      env,
    });
    assert.equal(code, 0, `kubeless ${args.join(' ')}: ${stderr}`);
    return stdout + stderr;
  }

  async deploy(language: keyof typeof sources): Promise<void> {
    const { file, runtime, code } = sources[language];
    await writeFile(join(this.#cwd, file), code);
    const made = ['-r', runtime, '--handler', 'told.run', '-f', file, '-l', 'group=told'];
    await this.run('function', 'deploy', language, ...made);
    await this.wait(`functions.kubeless.io/${language}`);
  }

  /** Makes a trigger for the functions, and waits until all of them are reached. */
  async createTrigger(word: 'kafka' | 'nats'): Promise<void> {
    const create = ['create', 'told', '--trigger-topic', 'orders'];
    const told = await this.run('trigger', word, ...create, '--function-selector', 'group=told');
    assert.match(told, /trigger told created in namespace default successfully!/);
    const listed = await this.run('trigger', word, 'list');
    assert.match(listed, /^told +default +orders +group=told$/m);
    await this.wait(`${word}triggers/told`);
  }

  wait(object: string): Promise<void> {
    return this.kubectl('wait', '--for=condition=Ready', object, '--timeout=60s');
  }

  async kubectl(...args: readonly string[]): Promise<void> {
    const { code, stderr } = await this.#fnlet.kubectl(args);
    assert.equal(code, 0, stderr);
  }

  /** What a function was told, message by message. */
  async told(language: keyof typeof sources, count: number): Promise<readonly unknown[][]> {
    return until(
      async () => {
        const log = await this.run('function', 'logs', language);
        const found = [...log.matchAll(/told (\[.*\])/g)].map(([, text = '']) => JSON.parse(text));
        return found.length >= count ? found : undefined;
      },
      { what: `${language} to be told of ${count} messages`, timeoutMs: 30_000 },
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#fnlet[Symbol.asyncDispose]();
  }
}

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';
const languages: readonly (keyof typeof sources)[] =
  needsPython.skip !== false ? ['node'] : ['node', 'python'];
const goTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,3})? \+0000 UTC$/;

/** Messages in the order of their ids, without what differs each time. */
function plain(told: readonly unknown[][]): readonly unknown[][] {
  return told
    .toSorted((a, b) => (String(a[1]) < String(b[1]) ? -1 : 1))
    .map(([data, , type, time, namespace, topic]) => {
      assert.match(String(time), goTime);
      return [data, type, namespace, topic ?? null];
    });
}

test('a KafkaTrigger brings records to Node and Python', { skip: lacksKafka }, async (t) => {
  if (needsPython.skip !== false) t.diagnostic('Python is missing: Node alone is tried');
  await using server = await KafkaServer.start();
  const to = { clientId: 'test', bootstrapBrokers: [server.address] };
  const admin = new Admin(to);
  await admin.createTopics({ topics: ['orders'], partitions: 1, replicas: 1 });
  await using shop = await Workshop.open(['--kubeless-kafka', server.address]);
  for (const language of languages) await shop.deploy(language);
  await shop.createTrigger('kafka');
  const groups = await admin.listGroups({});
  for (const name of languages) assert.ok(groups.has(`default_told_${name}_orders`));
  await admin.close();
  const producer = new Producer(to);
  const key = Buffer.from('k');
  for (const text of ['{"a":1}', '[1]']) {
    await producer.send({ messages: [{ topic: 'orders', key, value: Buffer.from(text) }] });
  }
  await producer.close();
  for (const language of languages) {
    const told = await shop.told(language, 2);
    assert.deepEqual(told.map(([, id]) => id).sort(), ['orders/0/0', 'orders/0/1']);
    const namespace = 'kafkatriggers.kubeless.io';
    assert.deepEqual(plain(told), [
      [{ a: 1 }, json, namespace, 'orders'],
      ['[1]', form, namespace, 'orders'],
    ]);
  }
  await shop.run('trigger', 'kafka', 'update', 'told', '--trigger-topic', 'others');
  assert.match(await shop.run('trigger', 'kafka', 'ls'), /^told +default +others +group=told$/m);
  await shop.run('trigger', 'kafka', 'delete', 'told');
});

test('a NATSTrigger brings messages to Node and Python', { skip: lacksNatsServer }, async () => {
  await using server = await NatsServer.start();
  await using shop = await Workshop.open(['--kubeless-nats', server.url]);
  for (const language of languages) await shop.deploy(language);
  await shop.createTrigger('nats');
  const publish = ['trigger', 'nats', 'publish', '--url', server.url, '--topic', 'orders'];
  const said = await shop.run(...publish, '--message', '{"a":1}');
  assert.match(said, /^Published \[orders\] : '{"a":1}'$/m);
  for (const language of languages) {
    assert.deepEqual(plain(await shop.told(language, 1)), [
      [{ a: 1 }, json, 'natstriggers.kubeless.io', null],
    ]);
  }
  await shop.run('trigger', 'nats', 'delete', 'told');
});

test('a KinesisTrigger brings records of its shard to a function', {
  skip: lacksKinesis,
}, async () => {
  await using server = await KinesisServer.start();
  await using shop = await Workshop.open([]);
  await shop.deploy('node');
  const keys = ['aws_access_key_id=A', 'aws_secret_access_key=S'];
  const literals = keys.map((key) => `--from-literal=${key}`);
  await shop.kubectl('create', 'secret', 'generic', 'aws', ...literals);
  const region = ['--aws-region', 'us-east-1', '--endpoint', server.url];
  const place = ['--stream', 'clicks', ...region];
  const own = [...region, '--secret', 'aws'];
  await shop.run('trigger', 'kinesis', 'create-stream', '--stream-name', 'clicks', ...own);
  await server.settled('clicks');
  const shard = 'shardId-000000000000';
  const reading = ['--shard-id', shard, '--function-name', 'node', '--secret', 'aws'];
  await shop.run('trigger', 'kinesis', 'create', 'told', ...place, ...reading);
  const line = new RegExp(`^told +default +us-east-1 +clicks +${shard} +node$`, 'm');
  assert.match(await shop.run('trigger', 'kinesis', 'list'), line);
  await shop.wait('kinesistriggers/told');
  const record = ['--stream', 'clicks', '--partition-key', 'ada', '--records', '{"a":1}'];
  await shop.run('trigger', 'kinesis', 'publish', ...record, ...own);
  assert.deepEqual(plain(await shop.told('node', 1)), [
    [{ a: 1 }, json, 'kinesistriggers.kubeless.io', null],
  ]);
  await shop.run('trigger', 'kinesis', 'update', 'told', '--shard-id', '*');
  assert.match(await shop.run('trigger', 'kinesis', 'ls'), /clicks +\* +node$/m);
  await shop.run('trigger', 'kinesis', 'delete', 'told');
});
