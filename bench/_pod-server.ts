/**
 * The measured operator's API: `_pod-server.ts <directory> <count>` serves so many Pods over HTTPS,
 * made up as they are sent. It knows lists in pages and watches with initial events (KEP-3157);
 * after them it keeps the watch open; below `/paged` it refuses them. Prints its port and its CA.
 */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { loadCertificates } from '@fnlet/apiserver';
import { systemClock } from '@fnlet/base';
import { podJson } from './_pods.ts';

const [directory = '.', count = '0'] = process.argv.slice(2);
const pods = Number(count);
const tls = await loadCertificates({ directory, clock: systemClock });
const version = pods + 1;

async function write(response: ServerResponse, text: string): Promise<void> {
  if (!response.write(text) && !response.destroyed) await once(response, 'drain');
}

async function sendEvents(response: ServerResponse): Promise<void> {
  for (let n = 0; n < pods && !response.destroyed; n++) {
    await write(response, `{"type":"ADDED","object":${podJson(n, n + 1)}}\n`);
  }
  const metadata = {
    resourceVersion: String(version),
    annotations: { 'k8s.io/initial-events-end': 'true' },
  };
  const object = { kind: 'Pod', apiVersion: 'v1', metadata };
  await write(response, `${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
}

async function sendList(response: ServerResponse, query: URLSearchParams): Promise<void> {
  const start = Number(query.get('continue') ?? 0);
  const end = Math.min(pods, start + Number(query.get('limit') ?? pods));
  const more = end < pods ? { continue: String(end), remainingItemCount: pods - end } : {};
  const metadata = JSON.stringify({ resourceVersion: String(version), ...more });
  await write(response, `{"kind":"PodList","apiVersion":"v1","metadata":${metadata},"items":[`);
  for (let n = start; n < end && !response.destroyed; n++) {
    await write(response, `${n > start ? ',' : ''}${podJson(n, n + 1)}`);
  }
  response.end(']}');
}

const server = createServer({ key: tls.keyPem, cert: tls.certPem }, (request, response) => {
  const { searchParams: query } = new URL(request.url ?? '/', 'http://server');
  response.setHeader('content-type', 'application/json');
  const isWatch = query.get('watch') === 'true';
  const isRefused = isWatch && request.url?.startsWith('/paged') === true;
  if (isRefused && query.has('sendInitialEvents')) response.writeHead(422).end('{}');
  else if (!isWatch) void sendList(response, query);
  else if (query.get('sendInitialEvents') === 'true') void sendEvents(response);
  else response.flushHeaders();
}).listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address !== 'object' || address === null) return;
  process.stdout.write(`${JSON.stringify({ port: address.port, caPem: tls.caPem })}\n`);
});
