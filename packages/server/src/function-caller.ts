import type { FunctionCaller } from '@fnlet/functions/kubeless';
import type { Gateway } from '@fnlet/gateway';

/** Calls Functions through the Gateway; their own timeouts end calls, and `signal` does. */
export function createFunctionCaller(invoke: Gateway['invoke']): FunctionCaller {
  return async (call, signal) => {
    const { namespace, function: name, method, headers, body } = call;
    const outcome = await invoke(
      {
        namespace,
        function: name,
        method,
        target: '/',
        headers: Object.entries(headers),
        body: Buffer.from(body ?? ''),
        remoteAddress: '127.0.0.1',
        answerBytesMax: 0,
        timeoutMs: Number.POSITIVE_INFINITY,
      },
      signal,
    );
    signal.throwIfAborted();
    return { status: outcome.status };
  };
}
