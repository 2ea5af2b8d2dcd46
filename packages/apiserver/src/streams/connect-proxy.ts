import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorMessage } from '@fnlet/base';
import { type KubeObject, statusError } from '@fnlet/machinery';
import { notImplemented } from '../answer/status-texts.ts';
import { readObject, requireObject } from '../object/objects.ts';
import { chooseBackend, parseProxyAddress, podPort, servicePortName } from '../pod/proxy-target.ts';
import type { ApiRequest, ApiResponse } from '../request/api-request.ts';
import type { ResourceRequest } from '../request/resource-request.ts';

// Not by import: the aggregator shares this with the proxy, and so a start loads it (decision 015).
const { request: sendRequest } = process.getBuiltinModule('node:http');

/**
 * Any request below `pods/<name>/proxy`: goes to a port of the Pod, as it is, WebSockets included.
 *
 * @throws StatusError `NotFound`, `BadRequest`, `NotImplemented`, `ServiceUnavailable`
 */
export async function proxyPod(asked: ResourceRequest): Promise<ApiResponse> {
  const { context, resource, route } = asked;
  const address = parseProxyAddress('pod', route.name ?? '');
  const key = { namespace: route.namespace, name: address.name };
  const { object: pod } = requireObject(context, resource, key);
  return await forward(asked, toPod(asked, pod, podPort(pod, address)));
}

/**
 * Any request below `services/<name>/proxy`: goes to whoever answers for the Service, or else to one
 * of its ready Pods. @see proxyPod
 */
export async function proxyService(asked: ResourceRequest): Promise<ApiResponse> {
  const { context, resource, route } = asked;
  const { namespace } = route;
  const { name, port } = parseProxyAddress('service', route.name ?? '');
  const { object: service } = requireObject(context, resource, { namespace, name });
  const answering = context.podRuntime?.connectService?.(service, asked.request.signal);
  if (answering !== undefined) {
    servicePortName(service, port);
    const host = `${name}.${namespace}.svc.cluster.local`;
    return await forward(asked, { host, connect: () => answering });
  }
  const find = (plural: string, wanted: string): KubeObject | undefined => {
    const kind = context.catalog.findStored('', plural);
    if (kind === undefined) return undefined;
    return readObject(context, kind, { namespace, name: wanted })?.object;
  };
  const endpoints = find('endpoints', name);
  const backend = chooseBackend(service, endpoints, { port, random: context.random });
  const pod = find('pods', backend.pod);
  if (pod === undefined) {
    const text = `no endpoints available for service ${JSON.stringify(name)}`;
    throw statusError('ServiceUnavailable', text);
  }
  return await forward(asked, toPod(asked, pod, backend.port));
}

// Namespace, plural and name stand before it; the rest is the target's own.
const belowProxy = /^(?:\/+[^/]+){6}\/+proxy(\/.*)?$/;

/** Where a request goes. */
interface ProxyTarget {
  /** What it is told it was called by; default: what this server was. */
  readonly host?: string;
  connect(): Promise<Duplex>;
}

function toPod({ context, request }: ResourceRequest, pod: KubeObject, port: number): ProxyTarget {
  const { podRuntime: runtime } = context;
  if (runtime === undefined) {
    throw notImplemented('this API server has no runtime for Pods: there is nothing to connect to');
  }
  return { connect: () => runtime.portForward(pod, port, request.signal) };
}

async function forward({ request }: ResourceRequest, target: ProxyTarget): Promise<ApiResponse> {
  const [, below = ''] = belowProxy.exec(request.path) ?? [];
  const query = request.search ?? request.query.toString();
  const search = query === '' ? '' : `?${query}`;
  if (below === '' && ['GET', 'HEAD'].includes(request.method)) {
    // Links of the page are relative to what ends with a slash.
    const headers = { location: `${request.path}/${search}`, 'content-type': 'text/plain' };
    return { status: 301, headers, body: { kind: 'text', text: '' } };
  }
  const connection = await target.connect();
  const path = `${below === '' ? '/' : below}${search}`;
  const host = target.host === undefined ? {} : { host: target.host };
  const told = { ...request, headers: { ...request.headers, ...host } };
  return await exchange(connection, told, { path });
}

/**
 * Sends the request through the connection, and answers with what comes back.
 *
 * @param to path and query there, and headers besides those of the request
 * @throws StatusError `ServiceUnavailable`
 */
export function exchange(
  connection: Duplex,
  request: ApiRequest,
  { path, headers = {} }: { readonly path: string; readonly headers?: OutgoingHttpHeaders },
): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    const { method, signal } = request;
    const sent: ClientRequest = sendRequest({
      ...{ method, path, signal },
      headers: { ...requestHeaders(request), ...headers },
      createConnection: () => connection,
    });
    sent.on('error', (error) => {
      connection.destroy();
      const text = `error trying to reach service: ${errorMessage(error)}`;
      reject(statusError('ServiceUnavailable', text));
    });
    sent.on('response', (answer) => {
      answer.once('close', () => connection.destroy());
      const given = responseHeaders(answer, hopHeaders);
      resolve({
        status: statusOf(answer),
        headers: given,
        body: { kind: 'stream', chunks: answer },
      });
    });
    sent.on('upgrade', (answer, target, head) => {
      target.unshift(head);
      const serve = (client: Duplex): Promise<void> => relay(client, target);
      const given = responseHeaders(answer, new Set());
      resolve({ status: statusOf(answer), headers: given, body: { kind: 'upgrade', serve } });
    });
    sent.end(bodyOf(request));
  });
}

function statusOf({ statusCode = 502 }: IncomingMessage): number {
  return statusCode;
}

async function relay(client: Duplex, target: Duplex): Promise<void> {
  await Promise.allSettled([pipeline(client, target), pipeline(target, client)]);
  client.destroy();
  target.destroy();
}

function bodyOf({ body }: ApiRequest): Uint8Array | string | undefined {
  return body?.kind === 'value' ? JSON.stringify(body.value) : body?.bytes;
}

// About one connection, not about the request (RFC 9110, 7.6.1).
const hopHeaders: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Whoever asks shows its rights to this server, not to what runs in a Pod. */
function isForThisServer(name: string): boolean {
  return name === 'authorization' || name.startsWith('impersonate-') || name.startsWith(':');
}

function requestHeaders({ headers }: ApiRequest): Record<string, string> {
  const isUpgrade = headers.upgrade?.toLowerCase() === 'websocket';
  const kept = Object.entries(headers).filter(
    ([name]) => !hopHeaders.has(name) && name !== 'content-length' && !isForThisServer(name),
  );
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket' };
  return { ...Object.fromEntries(kept), ...(isUpgrade ? upgrade : { connection: 'close' }) };
}

function responseHeaders(
  { headers }: IncomingMessage,
  dropped: ReadonlySet<string>,
): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !dropped.has(name));
  const glue = (name: string): string => (name === 'set-cookie' ? '\n' : ', ');
  return Object.fromEntries(kept.map(([name, value]) => [name, [value].flat().join(glue(name))]));
}
