import {
  methodNotAllowed,
  notFound,
  notImplemented,
  unknownResource,
} from '../answer/status-texts.ts';
import { subresources } from '../discovery/discovery.ts';
import { getCollection, getObject, getScale, isWatch } from '../read/read-handlers.ts';
import type { ApiResponse } from '../request/api-request.ts';
import { isProxied, type ResourceRequest } from '../request/resource-request.ts';
import { deleteCollection, deleteRequest } from '../write/delete-handlers.ts';
import { patchRequest, postObject, putObject, writeScale } from '../write/write-handlers.ts';
import { resourceVerbs } from './resource.ts';

type Handler = (asked: ResourceRequest) => Promise<ApiResponse>;

/** A handler for what is seldom asked: its code is loaded at the first such request. */
function loaded(load: () => Promise<Handler>): Handler {
  return async (asked) => (await load())(asked);
}

const createToken = loaded(async () => (await import('../auth/token-request.ts')).createToken);
const getMetrics = loaded(async () => (await import('../metrics/metrics-handler.ts')).getMetrics);
const bindPod = loaded(async () => (await import('../pod/pod-binding.ts')).bindPod);
const evictPod = loaded(async () => (await import('../pod/pod-eviction.ts')).evictPod);
const getPodLog = loaded(async () => (await import('../pod/pod-log.ts')).getPodLog);
const proxyPod = loaded(async () => (await import('../streams/connect-proxy.ts')).proxyPod);
const proxyService = loaded(async () => (await import('../streams/connect-proxy.ts')).proxyService);
const execPod = loaded(async () => (await import('../streams/connect-pod.ts')).execPod);
const attachPod = loaded(async () => (await import('../streams/connect-pod.ts')).attachPod);
const forwardPodPorts = loaded(
  async () => (await import('../streams/connect-pod.ts')).forwardPodPorts,
);

const collectionHandlers: Readonly<Record<string, Handler>> = {
  GET: getCollection,
  POST: postObject,
  DELETE: deleteCollection,
};

const objectHandlers: Readonly<Record<string, Handler>> = {
  GET: getObject,
  PUT: putObject,
  PATCH: patchRequest,
  DELETE: deleteRequest,
};

const subresourceHandlers: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
  status: { GET: getObject, PUT: putObject, PATCH: patchRequest },
  approval: { GET: getObject, PUT: putObject, PATCH: patchRequest },
  ephemeralcontainers: { GET: getObject, PUT: putObject, PATCH: patchRequest },
  finalize: { PUT: putObject },
  scale: { GET: getScale, PUT: writeScale, PATCH: writeScale },
  binding: { POST: bindPod },
  eviction: { POST: evictPod },
  log: { GET: getPodLog },
  exec: { GET: execPod, POST: execPod },
  attach: { GET: attachPod, POST: attachPod },
  portforward: { GET: forwardPodPorts, POST: forwardPodPorts },
  token: { POST: createToken },
};

// Known to kubectl: a change of what the containers of a Pod may use.
const unservedOfPods = ['resize'];

/** Answers a request to a served resource. */
export function handleResource(asked: ResourceRequest): Promise<ApiResponse> {
  const handler = findHandler(asked);
  if (handler === undefined) throw methodNotAllowed();
  return handler(asked);
}

function findHandler(asked: ResourceRequest): Handler | undefined {
  const { route, request, resource } = asked;
  const { method } = request;
  const { name, subresource } = route;
  if (resource.strategy.computed === true) {
    const isRead = method === 'GET' && subresource === undefined && !isWatch(asked);
    return isRead ? getMetrics : undefined;
  }
  if (isProxied(route)) {
    const known = subresources(resource).some((candidate) => candidate.name === 'proxy');
    if (known) return resource.strategy.type.plural === 'pods' ? proxyPod : proxyService;
  }
  if (name === undefined || (method === 'GET' && isWatch(asked))) {
    return isServed(asked, true) ? collectionHandlers[method] : undefined;
  }
  if (subresource === undefined) {
    // A custom resource takes a POST to an object's own URL for one to its collection.
    if (method === 'POST' && resource.strategy.custom) return postObject;
    return isServed(asked, false) ? objectHandlers[method] : undefined;
  }
  const known = subresources(resource).some((candidate) => candidate.name === subresource);
  if (known) return subresourceHandlers[subresource]?.[method];
  const { type, custom } = resource.strategy;
  if (type.group === '' && type.plural === 'pods') {
    const [first = ''] = subresource.split('/');
    if (unservedOfPods.includes(first)) {
      throw notImplemented(`this API server does not serve pods/${first} yet`);
    }
  }
  throw custom ? notFound(type, name) : unknownResource();
}

function isServed({ resource, request }: ResourceRequest, onCollection: boolean): boolean {
  const verbs = resourceVerbs(resource.strategy);
  const verb = verbOf(request.method, onCollection);
  return verb !== undefined && verbs.includes(verb);
}

function verbOf(method: string, onCollection: boolean): string | undefined {
  switch (method) {
    case 'GET':
      return onCollection ? 'list' : 'get';
    case 'DELETE':
      return onCollection ? 'deletecollection' : 'delete';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    default:
      return undefined;
  }
}
