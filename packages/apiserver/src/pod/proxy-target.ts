import type { Random } from '@fnlet/base';
import { type KubeObject, statusError } from '@fnlet/machinery';
import { badRequest, notImplemented } from '../answer/status-texts.ts';
import { listField, objectField, textField } from '../object/object-form.ts';

/** What `name`, `name:port` or `scheme:name:port` in the URL of a proxy means. */
export interface ProxyAddress {
  readonly name: string;
  /** A number or a name; empty: the first that there is. */
  readonly port: string;
}

/** @throws StatusError `BadRequest`, `NotImplemented` (https) */
export function parseProxyAddress(kind: 'pod' | 'service', id: string): ProxyAddress {
  const parts = id.split(':');
  const [first = '', second = '', third = ''] = parts;
  if (parts.length === 1) return { name: first, port: '' };
  if (parts.length === 2) return { name: first, port: second };
  if (parts.length > 3 || !['', 'http', 'https'].includes(first) || second === '') {
    throw badRequest(`invalid ${kind} request ${JSON.stringify(id)}`);
  }
  if (first === 'https') throw notImplemented('this API server is no proxy for https');
  return { name: second, port: third };
}

/** The port of a Pod: the one that is asked for, its first, or 80. */
export function podPort(pod: KubeObject, { port }: ProxyAddress): number {
  if (port !== '') return portNumber(port);
  const containers = listField(objectField(pod, 'spec'), 'containers');
  const [first] = containers.flatMap((container) => listField(container, 'ports'));
  return typeof first?.containerPort === 'number' ? first.containerPort : 80;
}

function portNumber(text: string): number {
  const number = /^[0-9]{1,5}$/.test(text) ? Number(text) : 0;
  if (number > 0 && number < 65_536) return number;
  throw badRequest(`invalid port ${JSON.stringify(text)}`);
}

/** A Pod that stands behind a Service, and the port there. */
export interface ServiceBackend {
  readonly pod: string;
  readonly port: number;
}

/** Who stands behind a Service, Pod or not. */
export interface ServiceEndpoint {
  readonly address: string;
  readonly port: number;
  /** `undefined`: somebody else's address. */
  readonly pod: string | undefined;
}

interface Wanted {
  /** A number or a name; empty: any. */
  readonly port: string;
  readonly random: Random;
}

/**
 * One of the Pods that are ready behind a Service, at random.
 *
 * @throws StatusError `ServiceUnavailable` where there is no such port, or no Pod
 */
export function chooseBackend(
  service: KubeObject,
  endpoints: KubeObject | undefined,
  wanted: Wanted,
): ServiceBackend {
  const backends = listEndpoints(service, endpoints, wanted).flatMap(({ pod, port }) =>
    pod === undefined ? [] : [{ pod, port }],
  );
  return chooseOne(service, backends, wanted);
}

/**
 * One of those that are ready behind a Service, at random.
 *
 * @throws StatusError `ServiceUnavailable` where there is no such port, or nobody
 */
export function chooseEndpoint(
  service: KubeObject,
  endpoints: KubeObject | undefined,
  wanted: Wanted,
): ServiceEndpoint {
  return chooseOne(service, listEndpoints(service, endpoints, wanted), wanted);
}

function listEndpoints(
  service: KubeObject,
  endpoints: KubeObject | undefined,
  { port }: Wanted,
): readonly ServiceEndpoint[] {
  const wanted = servicePortName(service, port);
  return listField(endpoints ?? {}, 'subsets').flatMap((subset) => {
    const ports = listField(subset, 'ports');
    const found = ports.find((one) => wanted === undefined || textField(one, 'name') === wanted);
    const number = found?.port;
    if (typeof number !== 'number') return [];
    return listField(subset, 'addresses').map((address) => {
      const reference = objectField(address, 'targetRef');
      const pod = reference.kind === 'Pod' ? textField(reference, 'name') : undefined;
      return { address: textField(address, 'ip'), port: number, pod };
    });
  });
}

function chooseOne<T>({ metadata }: KubeObject, found: readonly T[], { random }: Wanted): T {
  const chosen = found[Math.floor(random.next() * found.length)];
  if (chosen !== undefined) return chosen;
  throw unavailable(`no endpoints available for service ${JSON.stringify(metadata.name)}`);
}

/**
 * The name of the port that is asked for by name or number; undefined: any.
 *
 * @throws StatusError `ServiceUnavailable` where there is no port of this number
 */
export function servicePortName(service: KubeObject, port: string): string | undefined {
  if (port === '' || !/^[0-9]+$/.test(port)) return port === '' ? undefined : port;
  const ports = listField(objectField(service, 'spec'), 'ports');
  const found = ports.find((one) => String(one.port) === port);
  if (found !== undefined) return textField(found, 'name');
  const { name } = service.metadata;
  throw unavailable(`no service port ${port} found for service ${JSON.stringify(name)}`);
}

function unavailable(text: string): Error {
  return statusError('ServiceUnavailable', text);
}
