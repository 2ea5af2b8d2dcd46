import { once } from 'node:events';
import { createServer } from 'node:net';
import { type NatsProgram, NatsServer } from './nats-server.ts';

/** Servers of one cluster of NATS, with JetStream, on this machine. */
export class NatsCluster implements AsyncDisposable {
  readonly servers: readonly NatsServer[];

  private constructor(servers: readonly NatsServer[]) {
    this.servers = servers;
  }

  /** @param settings Lines of the configuration of each of them, as of `NatsServer` */
  static async start(program: NatsProgram, settings = '', size = 3): Promise<NatsCluster> {
    const ports = await freePorts(size);
    const routes = ports.map((port) => `nats://127.0.0.1:${port}`).join(', ');
    const servers = await Promise.all(
      ports.map((port, index) => {
        const cluster = `cluster { name: test, listen: "127.0.0.1:${port}", routes: [${routes}] }`;
        return NatsServer.start(program, `server_name: s${index}\n${cluster}\n${settings}`);
      }),
    );
    return new NatsCluster(servers);
  }

  get urls(): readonly string[] {
    return this.servers.map(({ url }) => url);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.servers.map((server) => server[Symbol.asyncDispose]()));
  }
}

// Each server has to know the others before any of them runs.
async function freePorts(count: number): Promise<readonly number[]> {
  const holders = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(holders.map((holder) => once(holder, 'listening')));
  const ports = holders.map((holder) => {
    const address = holder.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  });
  await Promise.all(holders.map((holder) => once(holder.close(), 'close')));
  return ports;
}
