import type { IncomingMessage } from 'node:http';
import type { AgentOf } from './service-agents.ts';

/** What bounds a text that is fetched. */
export interface TextBounds {
  readonly bytesMax: number;
  readonly signal: AbortSignal;
}

/**
 * What fetches a text over HTTP or HTTPS, without following redirects. It rejects when there is no
 * answer 200, or one that is longer than `bytesMax`.
 *
 * @param agentOf what connects. Default: Node's own
 */
export function createFetchText(
  agentOf: AgentOf = () => undefined,
): (url: string, bounds: TextBounds) => Promise<string> {
  return async (url, { bytesMax, signal }) => {
    const answer = await get(url, agentOf, signal);
    const decoder = new TextDecoder();
    let bytes = 0;
    let text = '';
    for await (const chunk of answer) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) {
        throw new Error(`Cannot read ${url}: found more than ${bytesMax} bytes, expected fewer`);
      }
      text += decoder.decode(chunk, { stream: true });
    }
    if (answer.statusCode !== 200) {
      throw new Error(`Cannot read ${url}: found status ${answer.statusCode}, expected 200`);
    }
    return text + decoder.decode();
  };
}

function get(url: string, agentOf: AgentOf, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // An import would load half of Node, for what hardly anybody uses.
    const module = url.startsWith('https:') ? 'node:https' : 'node:http';
    const { request } = process.getBuiltinModule(module);
    const headers = { accept: '*/*', 'user-agent': 'fnlet' };
    const asking = request(url, { agent: agentOf(url), headers, signal }, resolve);
    asking.once('error', (error) => reject(signal.aborted ? signal.reason : error));
    asking.end();
  });
}
