import { after, describe } from 'node:test';
import type { VirtualClock } from '@fnlet/base';
import { type Log, openJetStreamLog } from '../src/log.ts';
import { testLogContract } from './log-contract.ts';
import { testLogProperty } from './log-property.ts';
import { findNatsPrograms, NatsServer } from './nats-server.ts';

const programs = findNatsPrograms();
if (programs.length === 0) {
  describe('openJetStreamLog()', { skip: 'no nats-server is on this machine' }, () => {});
}
for (const program of programs) {
  const server = await NatsServer.start(program);
  after(() => server[Symbol.asyncDispose]());
  let logs = 0;
  const name = `openJetStreamLog() with nats-server ${program.version}`;
  const open = (clock: VirtualClock): Promise<Log> =>
    openJetStreamLog({ servers: [server.url], name: `contract-${logs++}`, clock });
  testLogContract(name, open);
  testLogProperty(name, open, 60);
}
