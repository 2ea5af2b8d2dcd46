import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import http2 from 'node:http2';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type Clock, systemClock, VirtualClock } from '@fnlet/base';
import { createClient, createHttpTransport, type Transport } from '@fnlet/client';
import { adminUser, listenHttps, loadCertificates } from '../src/index.ts';
import { busyWakesPerSecond, quietSeconds } from '../src/limits.ts';
import { openServer } from './opened-server.ts';

const token = 'a-token-for-tests';
const maps = '/api/v1/namespaces/default/configmaps';

interface OpenedFront extends AsyncDisposable {
  readonly url: string;
  readonly caPem: string;
  readonly directory: string;
  connect(token?: string): Transport;
  close(): Promise<void>;
}

interface FrontParts {
  readonly clock?: Clock;
  readonly onLoad?: (isBusy: boolean) => void;
}

async function openFront(parts: FrontParts = {}): Promise<OpenedFront> {
  const directory = await mkdtemp(join(tmpdir(), 'fnlet-front-'));
  const tls = await loadCertificates({ directory, clock: systemClock });
  const { caPem } = tls;
  const server = await openServer({ tokens: [{ token, user: adminUser }], caPem });
  const options = { host: '127.0.0.1', port: 0, tls, clock: systemClock, ...parts };
  const front = await listenHttps(server.server, options);
  return {
    url: front.url,
    caPem,
    directory,
    connect: (bearer) =>
      createHttpTransport({
        server: front.url,
        caData: caPem,
        ...(bearer === undefined ? {} : { token: bearer }),
      }),
    close: () => front.close(),
    async [Symbol.asyncDispose]() {
      await front.close();
      await server[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}

describe('loadCertificates()', () => {
  it('keeps keys to their owner, and the authority for good', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'fnlet-tls-'));
    const clock = systemClock;
    const first = await loadCertificates({ directory, clock });
    const again = await loadCertificates({ directory, clock });
    assert.deepEqual(again, first);
    const other = await loadCertificates({ directory, clock, hosts: ['api.example.com'] });
    assert.equal(other.caPem, first.caPem);
    assert.notEqual(other.certPem, first.certPem);
    for (const name of ['ca.key', 'server.key']) {
      assert.equal((await stat(join(directory, name))).mode & 0o777, 0o600);
    }
    await rm(directory, { recursive: true });
  });
});

describe('listenHttps()', () => {
  it('knows its users by their tokens', async () => {
    await using front = await openFront();
    const ask = async (path: string, bearer?: string): Promise<number> => {
      await using transport = front.connect(bearer);
      return (await transport.request({ method: 'GET', path })).status;
    };
    assert.equal(await ask(maps, token), 200);
    assert.equal(await ask(maps, 'another-token'), 401);
    assert.equal(await ask(maps), 403);
    assert.equal(await ask('/apis'), 403);
    assert.equal(await ask('/version'), 200);
    assert.equal(await ask('/livez'), 200);
  });

  it('carries events to a watch as they happen', async () => {
    await using front = await openFront();
    await using transport = front.connect(token);
    const client = createClient(transport, { fieldManager: 'test' });
    const type = {
      group: '',
      version: 'v1',
      kind: 'ConfigMap',
      plural: 'configmaps',
      namespaced: true,
    };
    const response = await transport.request({ method: 'GET', path: maps, query: { watch: '1' } });
    const documents = response.documents()[Symbol.asyncIterator]();
    await documents.next();
    await client.of(type).create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'new', namespace: 'default' },
    });
    const { value } = await documents.next();
    assert.match(JSON.stringify(value), /"type":"ADDED".*"name":"new"/);
    await documents.return?.();
  });

  it('tells when watches get many events, and when no more', async () => {
    const clock = new VirtualClock();
    const told: boolean[] = [];
    await using front = await openFront({ clock, onLoad: (isBusy) => told.push(isBusy) });
    await using transport = front.connect(token);
    const watch = await transport.request({ method: 'GET', path: maps, query: { watch: '1' } });
    const events = watch.documents()[Symbol.asyncIterator]();
    await events.next();
    // One after the other: events that come together wake a watch once.
    for (let n = 0; n < busyWakesPerSecond; n++) {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `new-${n}` } };
      await transport.request({ method: 'POST', path: maps, body });
      await events.next();
    }
    await clock.advance(1000);
    assert.deepEqual(told, [true]);
    await clock.advance(quietSeconds * 1000);
    assert.deepEqual(told, [true, false]);
    await events.return?.();
  });

  it('speaks HTTP/1.1 and refuses bodies that are too large', async () => {
    await using front = await openFront();
    const { port } = new URL(front.url);
    const answer = await new Promise<{ status: number | undefined; text: string }>(
      (resolve, reject) => {
        const request = https.request(
          {
            host: '127.0.0.1',
            port,
            path: maps,
            method: 'POST',
            ca: front.caPem,
            headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          },
          async (response) => {
            const chunks: Uint8Array[] = [];
            for await (const chunk of response) chunks.push(chunk);
            resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() });
          },
        );
        request.on('error', reject);
        request.end(Buffer.alloc(4 * 1024 * 1024, 0x20));
      },
    );
    assert.equal(answer.status, 413);
    assert.match(answer.text, /RequestEntityTooLarge/);
  });

  it('answers all requests of one HTTP/2 connection while large answers are on their way', async () => {
    await using front = await openFront();
    await using transport = front.connect(token);
    const revisions = '/apis/apps/v1/namespaces/default/controllerrevisions';
    const body = {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name: 'large' },
      data: { text: 'x'.repeat(1_500_000) },
      revision: 1,
    };
    const created = await transport.request({ method: 'POST', path: revisions, body });
    assert.equal(created.status, 201);
    const session = http2.connect(front.url, { ca: front.caPem });
    const headers = { ':path': `${revisions}/large`, authorization: `Bearer ${token}` };
    // Nobody reads them: 24 MB wait in the server.
    const answers = Array.from({ length: 16 }, async () => {
      const stream = session.request(headers);
      const [head] = await once(stream, 'response');
      return head[':status'];
    });
    assert.deepEqual(
      await Promise.all(answers),
      answers.map(() => 200),
    );
    const stream = session.request({ ...headers, ':path': '/version' });
    const [head] = await once(stream, 'response');
    assert.equal(head[':status'], 200);
    session.destroy();
  });

  it('compresses large answers, and only for clients that take it', async () => {
    await using front = await openFront();
    await using transport = front.connect(token);
    const metadata = { name: 'large' };
    const data = { text: 'x'.repeat(200_000) };
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
    await transport.request({ method: 'POST', path: maps, body });
    const session = http2.connect(front.url, { ca: front.caPem });
    const ask = async (path: string, encoding: string): Promise<readonly [unknown, Buffer]> => {
      const headers = { ':path': path, authorization: `Bearer ${token}` };
      const stream = session.request({ ...headers, 'accept-encoding': encoding });
      const [head] = await once(stream, 'response');
      return [head['content-encoding'], Buffer.concat(await Array.fromAsync(stream))];
    };
    const [none, plain] = await ask(`${maps}/large`, 'identity');
    assert.equal(none, undefined);
    const [encoding, zipped] = await ask(`${maps}/large`, 'gzip, deflate');
    assert.equal(encoding, 'gzip');
    assert.ok(zipped.byteLength < plain.byteLength / 10);
    assert.deepEqual(gunzipSync(zipped), plain);
    assert.equal((await ask('/version', 'gzip'))[0], undefined);
    session.destroy();
  });

  it('says who has the port', async () => {
    await using front = await openFront();
    const tls = await loadCertificates({ directory: front.directory, clock: systemClock });
    await using server = await openServer();
    const port = Number(new URL(front.url).port);
    const taken = listenHttps(server.server, { host: '127.0.0.1', port, tls, clock: systemClock });
    await assert.rejects(taken, { code: 'PortInUse' });
  });

  it('ends open watches when it closes', async () => {
    await using front = await openFront();
    await using transport = front.connect(token);
    const response = await transport.request({ method: 'GET', path: maps, query: { watch: '1' } });
    const seen = Array.fromAsync(response.documents()).catch(() => 'cut');
    await front.close();
    await seen;
  });
});
