import { after, describe } from 'node:test';
import { openJetStreamLog } from '../src/log.ts';
import { testLogContract } from './log-contract.ts';
import { findNatsPrograms, NatsServer } from './nats-server.ts';

const programs = findNatsPrograms();
if (programs.length === 0) {
  describe('openJetStreamLog()', { skip: 'no nats-server is on this machine' }, () => {});
}
for (const program of programs) {
  const server = await NatsServer.start(program);
  after(() => server[Symbol.asyncDispose]());
  let logs = 0;
  testLogContract(`openJetStreamLog() with nats-server ${program.version}`, async (clock) =>
    openJetStreamLog({ servers: [server.url], name: `contract-${logs++}`, clock }),
  );
}
