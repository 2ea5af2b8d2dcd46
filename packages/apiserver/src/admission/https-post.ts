import type { IncomingMessage } from 'node:http';
import { request as sendRequest } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import type { WebhookAnswer, WebhookCall } from './webhook-post.ts';

/** Calls a webhook over HTTPS, on a connection of its own. */
export function postOverHttps(call: WebhookCall): Promise<WebhookAnswer> {
  const { url, caPem, body, connection, signal } = call;
  const trust = caPem === undefined ? {} : { ca: caPem };
  return new Promise((resolve, reject) => {
    const sent = sendRequest(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'content-length': Buffer.byteLength(body),
      },
      signal,
      ...trust,
      // An agent, even none, would connect by itself.
      ...(connection === undefined
        ? { agent: false }
        : {
            createConnection: (): TLSSocket =>
              connect({ socket: connection, servername: url.hostname, ...trust }),
          }),
    });
    sent.on('error', reject);
    sent.on('response', (answer) => {
      readAnswer(answer, call).then(resolve, (error: unknown) => {
        sent.destroy();
        reject(error);
      });
    });
    sent.on('close', () => connection?.destroy());
    sent.end(body);
  });
}

async function readAnswer(
  answer: IncomingMessage,
  { answerBytesMax }: WebhookCall,
): Promise<WebhookAnswer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer) {
    const bytes = Buffer.from(chunk);
    size += bytes.byteLength;
    if (size > answerBytesMax) throw new Error(`the answer is longer than ${answerBytesMax} bytes`);
    chunks.push(bytes);
  }
  return { status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() };
}
