import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Transport } from '../src/index.ts';

/** What the other end does with a request; each transport's suite brings one that speaks its way. */
export interface ContractServer extends AsyncDisposable {
  readonly transport: Transport;
}

/**
 * Opens a transport to an API that
 *
 * - answers `/echo` with `{method, path, query, contentType, body}` of the request,
 * - answers `/missing` with a 404 and a Status,
 * - answers `/stream` with the documents `{"n":0}`, `{"n":1}`, `{"n":2}` and ends,
 * - answers `/endless` with the document `{"n":0}` and stays silent,
 * - answers `/hang` never.
 */
export type OpenContractServer = () => Promise<ContractServer>;

/** What every transport must do; run it for each implementation. */
export function testTransportContract(name: string, open: OpenContractServer): void {
  describe(name, () => {
    testRequests(open);
    testStreams(open);
    testAborts(open);
  });
}

function testRequests(open: OpenContractServer): void {
  it('request() sends method, path, query, content type and body', async () => {
    await using server = await open();
    const response = await server.transport.request({
      method: 'PATCH',
      path: '/echo',
      query: { fieldManager: 'a b&c=ä', force: 'true' },
      contentType: 'application/merge-patch+json',
      body: { text: 'ä😀\u0000$(HOME)`', list: [1, null, true] },
    });
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), {
      method: 'PATCH',
      path: '/echo',
      query: { fieldManager: 'a b&c=ä', force: 'true' },
      contentType: 'application/merge-patch+json',
      body: { text: 'ä😀\u0000$(HOME)`', list: [1, null, true] },
    });
  });

  it('request() sends octets as they are', async () => {
    await using server = await open();
    const body = new TextEncoder().encode('{ "a" : "ä" }');
    const response = await server.transport.request({ method: 'POST', path: '/echo', body });
    const contentType = 'application/json';
    const echoed = { method: 'POST', path: '/echo', query: {}, contentType, body: { a: 'ä' } };
    assert.deepEqual(await response.json(), echoed);
  });

  it('request() sends application/json unless told otherwise, and no body for none', async () => {
    await using server = await open();
    const withBody = await server.transport.request({ method: 'POST', path: '/echo', body: {} });
    assert.match(JSON.stringify(await withBody.json()), /"contentType":"application\/json"/);
    const without = await server.transport.request({ method: 'DELETE', path: '/echo' });
    assert.deepEqual(await without.json(), { method: 'DELETE', path: '/echo', query: {} });
  });

  it('request() resolves with a failed answer and its Status', async () => {
    await using server = await open();
    const response = await server.transport.request({ method: 'GET', path: '/missing' });
    assert.equal(response.status, 404);
    assert.match(response.headers['content-type'] ?? '', /^application\/json/);
    const chunks = await Array.fromAsync(response.bytes());
    const status: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    assert.equal(JSON.stringify(status).includes('"reason":"NotFound"'), true);
  });

  it('request() serves many at once', async () => {
    await using server = await open();
    const paths = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const query = { n: String(n) };
        const response = await server.transport.request({ method: 'GET', path: '/echo', query });
        return response.json();
      }),
    );
    assert.deepEqual(
      paths.map((echo) => JSON.stringify(echo).includes('"n":')),
      paths.map(() => true),
    );
  });
}

function testStreams(open: OpenContractServer): void {
  it('documents() gives each document and ends with the answer', async () => {
    await using server = await open();
    const response = await server.transport.request({ method: 'GET', path: '/stream' });
    const documents = await Array.fromAsync(response.documents());
    assert.deepEqual(documents, [{ n: 0 }, { n: 1 }, { n: 2 }]);
  });

  it('documents() gives a document as soon as it is there, and can be left', async () => {
    await using server = await open();
    for (let round = 0; round < 3; round++) {
      const response = await server.transport.request({ method: 'GET', path: '/endless' });
      for await (const document of response.documents()) {
        assert.deepEqual(document, { n: 0 });
        break;
      }
    }
  });

  it('bytes() gives the body as it is', async () => {
    await using server = await open();
    const response = await server.transport.request({ method: 'GET', path: '/stream' });
    const text = Buffer.concat(await Array.fromAsync(response.bytes())).toString('utf8');
    assert.deepEqual(text.trim().split('\n'), ['{"n":0}', '{"n":1}', '{"n":2}']);
  });
}

function testAborts(open: OpenContractServer): void {
  it('request() rejects with Aborted when its signal is aborted, before or while it waits', async () => {
    await using server = await open();
    const aborted = AbortSignal.abort();
    await assert.rejects(
      server.transport.request({ method: 'GET', path: '/echo', signal: aborted }),
      { code: 'Aborted' },
    );
    const stop = new AbortController();
    const hanging = server.transport.request({ method: 'GET', path: '/hang', signal: stop.signal });
    setImmediate(() => stop.abort());
    await assert.rejects(hanging, { code: 'Aborted' });
  });

  it('documents() rejects with Aborted when the signal aborts while it waits', async () => {
    await using server = await open();
    const stop = new AbortController();
    const { signal } = stop;
    const response = await server.transport.request({ method: 'GET', path: '/endless', signal });
    const documents = response.documents()[Symbol.asyncIterator]();
    assert.deepEqual(await documents.next(), { done: false, value: { n: 0 } });
    const next = documents.next();
    stop.abort();
    await assert.rejects(next, { code: 'Aborted' });
  });

  it('request() rejects with Unreachable after close()', async () => {
    await using server = await open();
    await server.transport.close();
    await server.transport.close();
    const after = server.transport.request({ method: 'GET', path: '/echo' });
    await assert.rejects(after, { code: 'Unreachable' });
  });
}
