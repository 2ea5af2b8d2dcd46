import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusError } from '@fnlet/machinery';
import { testTransportContract } from '../../client/test/transport-contract.ts';
import { adminUser } from '../src/auth/authentication.ts';
import { createInProcessTransport } from '../src/in-process-transport.ts';
import {
  type ApiRequest,
  type ApiRequestBody,
  type ApiResponse,
  jsonResponse,
} from '../src/request/api-request.ts';
import type { DocumentLine } from '../src/request/event-batches.ts';

type Batches = AsyncGenerator<readonly DocumentLine[]>;

function document(n: number): DocumentLine {
  const value = { n };
  return { value, line: Buffer.from(`${JSON.stringify(value)}\n`) };
}

async function* endless(signal: AbortSignal): Batches {
  yield [document(0)];
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

async function* three(): Batches {
  yield [document(0), document(1)];
  yield [document(2)];
}

function documents(batches: Batches): ApiResponse {
  return { status: 200, headers: {}, body: { kind: 'events', batches } };
}

async function handle(request: ApiRequest): Promise<ApiResponse> {
  const { method, path, query, headers, body, signal } = request;
  switch (path) {
    case '/echo':
      return jsonResponse(200, {
        method,
        path,
        query: Object.fromEntries(query),
        ...(body === undefined
          ? {}
          : { contentType: headers['content-type'], body: readBody(body) }),
      });
    case '/stream':
      return documents(three());
    case '/endless':
      return documents(endless(signal));
    case '/hang':
      return new Promise(() => {});
    default:
      return jsonResponse(404, statusError('NotFound', `${path} not found`).status);
  }
}

function readBody(body: ApiRequestBody): unknown {
  return body.kind === 'value' ? body.value : JSON.parse(Buffer.from(body.bytes).toString());
}

testTransportContract('the transport inside the process', async () => {
  const transport = createInProcessTransport(handle, adminUser);
  return { transport, [Symbol.asyncDispose]: () => transport.close() };
});

test("a watch that breaks after its reader has given up is nobody's unheard failure", async () => {
  const broken = Promise.withResolvers<never>();
  async function* breaking(): Batches {
    yield [document(0)];
    await broken.promise;
  }
  const transport = createInProcessTransport(async () => documents(breaking()), adminUser);
  const stop = new AbortController();
  const request = { method: 'GET', path: '/watch', signal: stop.signal } as const;
  const items = (await transport.request(request)).documents()[Symbol.asyncIterator]();
  await items.next();
  stop.abort();
  await assert.rejects(items.next(), { code: 'Aborted' });
  // Unheard, it would end this process.
  broken.reject(new Error('broken'));
  await new Promise((resolve) => setImmediate(resolve));
});
