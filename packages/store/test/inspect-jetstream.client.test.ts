/** What is found out about NATS servers, of real ones. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspectJetStream, openJetStreamLog } from '../src/log.ts';
import { eventually } from './log-reading.ts';
import { NatsCluster } from './nats-cluster.ts';
import { findNatsPrograms, type NatsProgram, NatsServer } from './nats-server.ts';

const programs = findNatsPrograms();
if (programs.length === 0) {
  describe('inspectJetStream()', { skip: 'no nats-server is on this machine' }, () => {});
}
for (const program of programs) {
  describe(`inspectJetStream() of nats-server ${program.version}`, () => {
    testAlone(program);
    testTrouble(program);
    testCluster(program);
  });
}

function testAlone(program: NatsProgram): void {
  it('tells version, stream and storage, and makes nothing', async () => {
    await using server = await NatsServer.start(program);
    const servers = [server.url];
    const before = await inspectJetStream({ servers, name: 'house' });
    assert.ok(before.kind === 'jetStream', JSON.stringify(before));
    assert.deepEqual([before.version, before.stream], [program.version, null]);
    assert.deepEqual(before.storage, { usedBytes: 0, bytesMax: null });
    assert.equal(before.durability, 'eventuallyFlushed');
    {
      await using log = await openJetStreamLog({ servers, name: 'house' });
      await (await log.stream('s')).append([{ payload: Buffer.from('an event') }]);
    }
    const after = await inspectJetStream({ servers, name: 'house' });
    assert.ok(after.kind === 'jetStream', JSON.stringify(after));
    const alone = { name: 'house-log', replicas: 1, current: 1, isLed: true };
    assert.deepEqual(after.stream, alone);
    assert.ok(after.storage.usedBytes > 0);
  });

  it('tells how it flushes, as far as its monitoring does', async () => {
    const settings = 'jetstream { store_dir: STORE, sync_interval: always }';
    const [major = 0, minor = 0] = program.version.split('.').map(Number);
    const canBeSet = major > 2 || minor >= 10;
    await using server = await NatsServer.start(program, canBeSet ? settings : '');
    const { url, monitor } = server;
    const told = await inspectJetStream({ servers: [url], monitor });
    assert.ok(told.kind === 'jetStream', JSON.stringify(told));
    assert.equal(told.durability, canBeSet ? 'flushed' : 'eventuallyFlushed');
    const silent = await inspectJetStream({ servers: [url] });
    assert.ok(silent.kind === 'jetStream' && silent.durability === 'eventuallyFlushed');
  });
}

function testTrouble(program: NatsProgram): void {
  it('tells why nobody is reached, or let in', async () => {
    await using server = await NatsServer.start(program, 'authorization { token: sesame }');
    const refused = await inspectJetStream({ servers: [server.url], token: 'wrong' });
    assert.ok(refused.kind === 'unreachable', JSON.stringify(refused));
    assert.match(refused.message, /authorization/i);
    assert.doesNotMatch(refused.message, /wrong/);
    const taken = await inspectJetStream({ servers: [server.url], token: 'sesame' });
    assert.equal(taken.kind, 'jetStream');
    await server.stop('SIGKILL');
    const away = await inspectJetStream({ servers: [server.url], token: 'sesame' });
    assert.ok(away.kind === 'unreachable', JSON.stringify(away));
    assert.match(away.message, /refused/i);
  });

  it('tells that a server has no JetStream', async () => {
    // What makes the configuration of the test leave it out.
    await using server = await NatsServer.start(program, '# jetstream');
    const found = await inspectJetStream({ servers: [server.url] });
    assert.ok(found.kind === 'noJetStream', JSON.stringify(found));
    assert.match(found.message, /JS\.API/);
  });
}

function testCluster(program: NatsProgram): void {
  it('tells how many servers of a cluster have the stream', async () => {
    await using cluster = await NatsCluster.start(program);
    const options = { servers: cluster.urls, replicas: 3, name: 'house' };
    // They elect who leads first.
    await eventually(async () => (await inspectJetStream(options)).kind === 'jetStream');
    {
      await using log = await openJetStreamLog(options);
      await (await log.stream('s')).append([{ payload: Buffer.from('an event') }]);
    }
    const counted = async (current: number): Promise<boolean> => {
      const found = await inspectJetStream(options);
      if (found.kind !== 'jetStream' || found.stream === null) return false;
      assert.equal(found.durability, 'replicated');
      return found.stream.current === current && found.stream.isLed;
    };
    await eventually(() => counted(3));
    await cluster.servers[2]?.stop('SIGKILL');
    await eventually(() => counted(2));
  });
}
