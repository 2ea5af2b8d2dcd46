import { statusError } from '@fnlet/machinery';
import { testTransportContract } from '../../client/test/transport-contract.ts';
import { type ApiRequest, type ApiResponse, jsonResponse } from '../src/api-request.ts';
import { adminUser } from '../src/auth/authentication.ts';
import { createInProcessTransport } from '../src/in-process-transport.ts';

async function* endless(signal: AbortSignal): AsyncGenerator<unknown> {
  yield { n: 0 };
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

async function* three(): AsyncGenerator<unknown> {
  for (let n = 0; n < 3; n++) yield { n };
}

function documents(source: AsyncIterable<unknown>): ApiResponse {
  return { status: 200, headers: {}, body: { kind: 'documents', documents: source } };
}

async function handle(request: ApiRequest): Promise<ApiResponse> {
  const { method, path, query, headers, body, signal } = request;
  switch (path) {
    case '/echo':
      return jsonResponse(200, {
        method,
        path,
        query: Object.fromEntries(query),
        ...(body?.kind === 'value'
          ? { contentType: headers['content-type'], body: body.value }
          : {}),
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

testTransportContract('the transport inside the process', async () => {
  const transport = createInProcessTransport(handle, adminUser);
  return { transport, [Symbol.asyncDispose]: () => transport.close() };
});
