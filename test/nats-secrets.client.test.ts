/** Secrets of NATS that are wrong, mended and rotated while a real Fnlet runs, and never restarts. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { createUser } from '@nats-io/nkeys';
import { type ConnectionOptions, connect, nkeyAuthenticator } from '@nats-io/transport-node';
import { lacksNatsServer, NatsServer } from '../packages/eventing/test/nats-server.ts';
import { TestAuthority } from '../packages/eventing/test/test-authority.ts';
import { startFnlet } from './fnlet-process.ts';
import { OutsideTarget } from './outside-target.ts';
import { openTriggers } from './trigger-access.ts';
import { until } from './until.ts';

interface Way {
  /** Of the server. */
  readonly settings: string;
  readonly secret: Readonly<Record<string, string>>;
  /** As somebody else gets in. */
  readonly options: ConnectionOptions;
}

interface World extends AsyncDisposable {
  readonly directory: string;
  /** The server takes another way in from now on. */
  change(way: Way): Promise<void>;
  writeSecret(way: Way): Promise<void>;
  /** What somebody else writes now is delivered. */
  arrives(way: Way): Promise<void>;
  /** SourceReady says it. */
  tells(what: RegExp): Promise<void>;
}

async function openWorld(way: Way): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const outside = stack.use(new OutsideTarget());
  outside.isOpen = true;
  const server = stack.use(await NatsServer.start());
  const fnlet = stack.use(await startFnlet());
  const triggers = await openTriggers(fnlet);
  stack.defer(() => triggers.close());
  const maker = await connect({ servers: server.url });
  await (await jetstreamManager(maker)).streams.add({ name: 'ORDERS', subjects: ['orders'] });
  await maker.close();
  await server.stop();
  await server.start(way.settings);
  const nats = { servers: [server.url], stream: 'ORDERS', from: 'oldest', secret: 'nats' };
  await triggers.apply('orders', { source: { nats }, target: { url: await outside.listen() } });
  const kept = stack.move();
  let sent = 0;
  return {
    directory: fnlet.dataDirectory,
    async change({ settings }) {
      await server.stop();
      await server.start(settings);
    },
    writeSecret: ({ secret }) => triggers.applySecret('nats', secret),
    async arrives({ options }) {
      const client = await connect({ servers: server.url, ...options });
      await jetstream(client).publish('orders', 'x');
      await client.close();
      sent++;
      const id = `ORDERS.${sent}`;
      await until(() => outside.ids.includes(id), { what: `message ${id}`, timeoutMs: 60_000 });
    },
    async tells(what) {
      const isTold = async (): Promise<boolean> =>
        what.test(JSON.stringify((await triggers.status('orders')).conditions));
      await until(isTold, { what: `the status to say ${what}`, timeoutMs: 60_000 });
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function password(text: string): Way {
  return {
    settings: `authorization { user: ada, password: ${text} }`,
    secret: { user: 'ada', password: text },
    options: { user: 'ada', pass: text },
  };
}

test('users, tokens and keys are followed as their Secret is', {
  skip: lacksNatsServer,
}, async () => {
  const right = password('right');
  await using world = await openWorld(right);
  await world.tells(/found none of the keys/);
  await world.writeSecret(password('wrong'));
  await world.tells(/Authorization Violation/i);
  await world.writeSecret(right);
  await world.arrives(right);
  const token: Way = {
    settings: 'authorization { token: "t0ken" }',
    secret: { token: 't0ken' },
    options: { token: 't0ken' },
  };
  const user = createUser();
  const key: Way = {
    settings: `authorization { users: [{ nkey: ${user.getPublicKey()} }] }`,
    secret: { nkey: new TextDecoder().decode(user.getSeed()) },
    options: { authenticator: nkeyAuthenticator(user.getSeed()) },
  };
  for (const way of [token, key]) {
    await world.change(way);
    await world.writeSecret(way);
    await world.arrives(way);
  }
});

test('certificates are followed as their Secret is, and it is told why they do not do', {
  skip: lacksNatsServer,
}, async () => {
  await using first = await TestAuthority.make();
  await using second = await TestAuthority.make();
  const open = password('right');
  await using world = await openWorld(open);
  await world.writeSecret(open);
  await world.arrives(open);
  const files = async (authority: TestAuthority): Promise<string> => {
    const { certificate, key } = await authority.issue('nats');
    const directory = await mkdtemp(join(world.directory, 'tls-'));
    const place = (name: string): string => JSON.stringify(join(directory, name));
    await writeFile(join(directory, 'ca'), authority.certificate);
    await writeFile(join(directory, 'crt'), certificate);
    await writeFile(join(directory, 'key'), key);
    return `cert_file: ${place('crt')}, key_file: ${place('key')}, ca_file: ${place('ca')}`;
  };
  const one: Way = {
    settings: `tls { ${await files(first)} }`,
    secret: { 'ca.crt': first.certificate },
    options: { tls: { ca: first.certificate } },
  };
  const theirs = await files(second);
  const other: Way = {
    settings: `tls { ${theirs} }`,
    secret: { 'ca.crt': second.certificate },
    options: { tls: { ca: second.certificate } },
  };
  const { certificate: cert, key } = await second.issue('fnlet');
  const mutual: Way = {
    settings: `tls { ${theirs}, verify: true }`,
    secret: { ...other.secret, 'tls.crt': cert, 'tls.key': key },
    options: { tls: { ca: second.certificate, cert, key } },
  };
  await world.change(one);
  await world.writeSecret(one);
  await world.arrives(one);
  for (const way of [other, mutual]) {
    await world.change(way);
    await world.tells(/The server is gone; it is tried again: .*(certificate|handshake)/i);
    await world.writeSecret(way);
    await world.arrives(way);
  }
});
