import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { silentLogger } from '@fnlet/base';
import { nkeys } from '@nats-io/transport-node';
import { openJetStreamLog } from '../src/log.ts';
import { bytes, eventually, payloads } from './log-reading.ts';
import { findNatsPrograms, type NatsProgram, NatsServer } from './nats-server.ts';

const programs = findNatsPrograms();
if (programs.length === 0) {
  describe('openJetStreamLog()', { skip: 'no nats-server is on this machine' }, () => {});
}
for (const program of programs) {
  describe(`nats-server ${program.version}`, () => {
    testFailures(program);
    testCredentials(program);
    testEncryption(program);
    testDurability(program);
  });
}

function testFailures(program: NatsProgram): void {
  it('is killed and started again under load: nothing is lost, and nothing twice', async () => {
    await using server = await NatsServer.start(program);
    await using log = await openJetStreamLog({ servers: [server.url] });
    const stream = await log.stream('x');
    const consumer = await stream.consumer('c');
    let isDone = false;
    const acknowledged: string[] = [];
    const append = async (writer: number): Promise<void> => {
      for (let n = 0; !isDone; n++) {
        const text = `${writer}/${n}`;
        const { last } = await stream.append([{ payload: bytes(text) }]);
        acknowledged.push(text);
        if (writer === 0) await consumer.commit({ cursor: last });
      }
    };
    const writers = Array.from({ length: 4 }, (_, writer) => append(writer));
    for (let round = 0; round < 4; round++) {
      const before = acknowledged.length;
      await eventually(() => acknowledged.length > before + 50);
      await server.stop('SIGKILL');
      await server.start();
    }
    const before = acknowledged.length;
    await eventually(() => acknowledged.length > before + 50);
    isDone = true;
    await Promise.all(writers);
    const found = await payloads(stream);
    assert.deepEqual([...found].sort(), [...acknowledged].sort());
    assert.equal((await stream.size()).records, acknowledged.length);
  });

  it('refuses what it has no room for, and the log says so', async () => {
    const settings = 'jetstream { store_dir: STORE, max_file_store: 2MB }';
    await using server = await NatsServer.start(program, settings);
    await using log = await openJetStreamLog({ servers: [server.url] });
    const stream = await log.stream('x');
    const entry = { payload: new Uint8Array(200_000) };
    const fill = async (): Promise<void> => {
      for (let n = 0; n < 20; n++) await stream.append([entry]);
    };
    await assert.rejects(fill(), { code: 'Full', retry: 'later' });
    // 2.9 goes on counting what was dropped from a file that is still written to.
    if (program.version.startsWith('2.9.')) return;
    await stream.trim(Number.MAX_SAFE_INTEGER);
    await stream.append([entry]);
  });

  it('has no JetStream, or does not run: the log is not opened', async () => {
    const stopped = await NatsServer.start(program);
    const { url } = stopped;
    await stopped[Symbol.asyncDispose]();
    await assert.rejects(openJetStreamLog({ servers: [url] }), { code: 'Unavailable' });
  });
}

function testCredentials(program: NatsProgram): void {
  it('knows a user, a token and an nkey, and nobody else', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'fnlet-keys-'));
    const pair = nkeys.createUser();
    const credentialsFile = join(directory, 'user.nk');
    await writeFile(credentialsFile, pair.getSeed());
    const ways = [
      ['authorization { user: fnlet, password: secret }', { user: 'fnlet', password: 'secret' }],
      ['authorization { token: secret }', { token: 'secret' }],
      [`authorization { users: [{ nkey: ${pair.getPublicKey()} }] }`, { credentialsFile }],
    ] as const;
    for (const [settings, credentials] of ways) {
      await using server = await NatsServer.start(program, settings);
      const servers = [server.url];
      await assert.rejects(openJetStreamLog({ servers }), { code: 'Unavailable' });
      await using log = await openJetStreamLog({ servers, ...credentials });
      await log.stream('x');
    }
    await rm(directory, { recursive: true });
  });
}

function testEncryption(program: NatsProgram): void {
  it('shows a certificate, which is checked; a server without one is refused', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'fnlet-tls-'));
    const [key, ca] = [join(directory, 'key.pem'), join(directory, 'ca.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    execFileSync('openssl', ['req', ...kind, '-keyout', key, '-out', ca, ...subject], {
      stdio: 'ignore',
    });
    await using server = await NatsServer.start(
      program,
      `tls { cert_file: "${ca}", key_file: "${key}" }`,
    );
    const servers = [server.url.replace('127.0.0.1', 'localhost')];
    await using log = await openJetStreamLog({ servers, tls: { caFile: ca } });
    await log.stream('x');
    await assert.rejects(openJetStreamLog({ servers }), { code: 'Unavailable' });
    await using plain = await NatsServer.start(program);
    const asked = { servers: [plain.url], tls: { caFile: ca } };
    await assert.rejects(openJetStreamLog(asked), { code: 'Unavailable' });
    await rm(directory, { recursive: true });
  });
}

function testDurability(program: NatsProgram): void {
  it('tells how it flushes; the log says so, or refuses it', async () => {
    const always = 'jetstream { store_dir: STORE, sync_interval: always }';
    const knowsIt = !program.version.startsWith('2.9.');
    await using server = await NatsServer.start(program, knowsIt ? always : '');
    const options = { servers: [server.url], requireDurable: true };
    const strict = { ...options, monitor: server.monitor };
    if (knowsIt) {
      await using log = await openJetStreamLog(strict);
      assert.equal(log.durability, 'flushed');
    } else {
      await assert.rejects(openJetStreamLog(strict), {
        code: 'NotDurable',
        message: /nats-server 2\.9\.\d+, which flushes every two minutes/,
      });
    }
    await assert.rejects(openJetStreamLog(options), { code: 'NotDurable', remedy: /monitoring/ });
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
    await using log = await openJetStreamLog({ servers: [server.url], logger });
    assert.equal(log.durability, 'eventuallyFlushed');
    assert.match(warnings.join(), /may be lost when power fails/);
  });
}
