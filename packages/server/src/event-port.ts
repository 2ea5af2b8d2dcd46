import type { IncomingMessage } from 'node:http';
import type { EventPort } from '@fnlet/eventing';
import type { AgentOf } from './service-agents.ts';

/**
 * Sends events to the URLs of Triggers, wherever this machine reaches them.
 *
 * @param agentOf what connects. Default: Node's own, which the resolver of a cluster helps
 */
export function createEventPort(agentOf: AgentOf = () => undefined): EventPort {
  return {
    post: ({ url, headers, body, answerBytesMax }, signal) =>
      new Promise((resolve, reject) => {
        // An import would load half of Node, for what hardly anybody uses.
        const module = url.startsWith('https:') ? 'node:https' : 'node:http';
        const { request } = process.getBuiltinModule(module);
        const agent = agentOf(url);
        const sending = request(url, { method: 'POST', headers, signal, agent }, (response) => {
          readBody(response, answerBytesMax).then(
            (answered) => {
              const { statusCode: status = 502 } = response;
              resolve({ status, headers: plainHeaders(response), body: answered });
            },
            (error: unknown) => reject(error),
          );
        });
        sending.once('error', reject);
        sending.end(body);
      }),
  };
}

/** The beginning of the body; the rest is read and thrown away. */
async function readBody(response: IncomingMessage, bytesMax: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let left = bytesMax;
  for await (const chunk of response) {
    const bytes = Buffer.from(chunk).subarray(0, left);
    left -= bytes.length;
    if (bytes.length > 0) chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function plainHeaders({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return Object.fromEntries(entries);
}
