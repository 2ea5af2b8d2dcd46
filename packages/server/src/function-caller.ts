import type { FunctionCaller } from '@fnlet/functions/kubeless';

// An import would load half of Node.
const { request } = process.getBuiltinModule('node:http');

/** Calls Functions through the Gateway that answers at this address. */
export function createFunctionCaller(gatewayUrl: string): FunctionCaller {
  return (call, signal) =>
    new Promise((resolve, reject) => {
      const { method, headers, body } = call;
      const url = new URL(`/${call.namespace}/${call.function}/`, gatewayUrl);
      const calling = request(url, { method, headers, signal }, (response) => {
        // The answer is over when its body is: until then the function works.
        const { statusCode: status = 0 } = response;
        response.once('error', reject);
        response.once('end', () => resolve({ status }));
        response.resume();
      });
      calling.once('error', reject);
      calling.end(body);
    });
}
