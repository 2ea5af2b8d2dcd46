/** What Gateways pass on to the controller, over the sockets that they have in a cluster. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { loadCertificates, type TlsIdentity } from '@fnlet/apiserver';
import { systemClock as clock, systemRandom as random, silentLogger } from '@fnlet/base';
import {
  createGateway,
  type ReceivedRequest,
  type Responder,
  type ResponderAnswer,
} from '@fnlet/gateway';
import { ControllerRelay } from './controller-relay.ts';
import { createFleetDial } from './fleet-dial.ts';
import { FleetFront } from './fleet-front.ts';
import { FleetLink } from './fleet-link.ts';
import { GatewayFleet } from './gateway-fleet.ts';
import { relayBytesMax } from './limits.ts';

const logger = silentLogger;
const never = new AbortController().signal;
const place = { kind: 'service', namespace: 'a', name: 'b' } as const;

let directory: string;
let certificate: TlsIdentity;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fnlet-relay-'));
  certificate = await loadCertificates({ directory, clock });
  await writeFile(join(directory, 'token'), 'gateway');
});
after(() => rm(directory, { recursive: true, force: true }));

function asked(text: string): ReceivedRequest {
  const headers = [['X-Octet', '\u00fc']] as const;
  const body = Buffer.from(text);
  return { call: undefined, method: 'POST', target: '/', headers, body, remoteAddress: '10.0.0.1' };
}

/** Answers with what it was sent. */
function echo(name: string): Responder {
  return {
    bodyBytesMax: 1_000,
    respond: ({ body, headers }) =>
      Promise.resolve({ status: 202, headers, body: `${name} ${Buffer.from(body).toString()}` }),
  };
}

/** A controller that leads; port 0 takes a free one. */
async function lead(responder: Responder, port = 0): Promise<FleetFront & { port: number }> {
  const fleet = new GatewayFleet({ clock, onDemand: () => {}, onUnresponsive: () => {} });
  fleet.published.setService(place, responder);
  const identify = (token: string) =>
    Promise.resolve(token === 'gateway' ? { node: undefined } : undefined);
  const front = new FleetFront({ fleet, certificate, identify, clock, random, logger });
  return Object.assign(front, { port: await front.listen({ host: '127.0.0.1', port }) });
}

/** A Gateway that is connected to whoever leads there. */
function connect(port: number): AsyncDisposable & {
  readonly responder: Responder;
  /** Resolves when it knows that nobody leads any more. */
  readonly left: Promise<void>;
} {
  const controller = `https://127.0.0.1:${port}`;
  const relay = new ControllerRelay({ controller, clock });
  const gateway = createGateway({ clock, random, logger, onDemand: () => {} });
  const { caPem: authorityPem } = certificate;
  const left = Promise.withResolvers<void>();
  const files = { tokenFile: join(directory, 'token'), authorityFile: join(directory, 'ca.crt') };
  const link = new FleetLink({
    dial: createFleetDial({ controller, ...files, clock }),
    onKey(key) {
      relay.setAccess(key === undefined ? undefined : { key, authorityPem });
      if (key === undefined) left.resolve();
    },
    ...{ replica: 'gateway', gateway, clock, logger },
  });
  const stop = new AbortController();
  const running = link.run(stop.signal);
  return {
    responder: relay.responder(place, 1_000),
    left: left.promise,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      relay[Symbol.dispose]();
      await gateway.close({ graceMs: 0 });
    },
  };
}

function textOf({ status, body }: ResponderAnswer): string {
  return `${status} ${Buffer.from(body).toString()}`;
}

test('a request is answered by the controller, octet by octet, and by the next one', async () => {
  const first = await lead(echo('first'));
  await using gateway = connect(first.port);
  const answer = await gateway.responder.respond(asked('one'), never);
  assert.equal(textOf(answer), '202 first one');
  assert.deepEqual(answer.headers, [['X-Octet', '\u00fc']]);
  await first[Symbol.asyncDispose]();
  await gateway.left;
  const waiting = gateway.responder.respond(asked('two'), never);
  await using _ = await lead(echo('second'), first.port);
  assert.equal(textOf(await waiting), '202 second two');
});

test('whose answer does not come because the controller ends is told that nobody knows', async () => {
  const reached = Promise.withResolvers<void>();
  const silent: Responder = {
    bodyBytesMax: 1_000,
    respond() {
      reached.resolve();
      return new Promise(() => {});
    },
  };
  const first = await lead(silent);
  await using gateway = connect(first.port);
  const waiting = gateway.responder.respond(asked('one'), never);
  await reached.promise;
  await first[Symbol.asyncDispose]();
  const answer = await waiting;
  assert.match(textOf(answer), /^503 .*may have taken it/);
  assert.deepEqual(answer.headers.at(-1), ['Retry-After', '2']);
});

test('nobody is heard without a key, nor with more than is taken', async () => {
  await using front = await lead(echo('first'));
  const send = async (path: string, headers: Record<string, string>): Promise<number> => {
    const { request } = await import('node:https');
    const url = new URL(path, `https://127.0.0.1:${front.port}`);
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const { caPem: ca } = certificate;
    const sending = request(url, { method: 'POST', ca, headers, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sending.once('error', reject);
    sending.end();
    return promise;
  };
  assert.equal(await send('/elsewhere', {}), 404);
  assert.equal(await send('/relay', {}), 401);
  assert.equal(await send('/relay', { authorization: 'Bearer gateway' }), 401);
  await using gateway = connect(front.port);
  const large = asked('x'.repeat(relayBytesMax));
  assert.match(textOf(await gateway.responder.respond(large, never)), /^503 /);
});
