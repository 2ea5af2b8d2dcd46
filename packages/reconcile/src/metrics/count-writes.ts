import type { Transport, TransportRequest, TransportResponse } from '@fnlet/client';

/**
 * The transport, with a call for every write that was answered: its method, and the status of the
 * answer. A write without an answer is counted with the status 0.
 */
export function countWrites(
  transport: Transport,
  onWrite: (verb: string, code: string) => void,
): Transport {
  return {
    async request(request): Promise<TransportResponse> {
      if (!isWrite(request)) return await transport.request(request);
      let code = 0;
      try {
        const response = await transport.request(request);
        code = response.status;
        return response;
      } finally {
        onWrite(request.method, String(code));
      }
    },
    close: () => transport.close(),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

function isWrite({ method, query }: TransportRequest): boolean {
  return method !== 'GET' && query?.dryRun === undefined;
}
