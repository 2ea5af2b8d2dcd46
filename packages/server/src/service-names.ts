/**
 * What names of Services lead to that are no Functions: Runners ask when code of theirs connects to
 * one. Loaded with the first question.
 */
import { functionLabel } from '@fnlet/api';
import type { Client } from '@fnlet/client';
import type { ReceivedRequest, ResponderAnswer } from '@fnlet/gateway';
import { serviceAliasesMax, serviceSlicesMax } from './limits.ts';
import {
  type EndpointAddress,
  type EndpointSlice,
  type Endpoints,
  endpointSliceType,
  endpointsType,
  findEndpoints,
  ofPod,
  type Service,
  serviceType,
} from './service-endpoints.ts';

interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

/** Answers `GET /-/routes/<namespace>/<name>[/<port>]`. */
export async function answerServiceName(
  client: Client,
  { target }: ReceivedRequest,
  signal: AbortSignal,
): Promise<ResponderAnswer> {
  const [, namespace = '', name = '', port] =
    /^\/-\/routes\/([-a-z0-9]+)\/([-a-z0-9]+(?:\.[-a-z0-9]+)?)(?:\/(\d+))?$/.exec(target) ?? [];
  if (name === '') return answer(404, 'ServiceNotFound', 'There is no Service of such a name');
  // A Pod of a headless Service, such as one of a StatefulSet: `<pod>.<service>`.
  const [first = '', last] = name.split('.');
  const pod = last === undefined ? undefined : first;
  let asked: ServiceName = { namespace, name: last ?? first };
  for (let aliases = 0; aliases <= serviceAliasesMax; aliases++) {
    const service = await client.of<Service>(serviceType).tryGet(asked, { signal });
    if (service === undefined) {
      return answer(404, 'ServiceNotFound', `There is no Service ${formatName(asked)}`);
    }
    if (pod === undefined && service.metadata.labels?.[functionLabel] === asked.name) {
      return answer(200, 'RouteFound', 'A function answers there');
    }
    if (port === undefined) return answer(200, 'ServiceFound', 'There is such a Service');
    const { type, externalName = '' } = service.spec;
    if (type !== 'ExternalName') return answerPort(client, service, { port, pod, signal });
    const alias = readName(externalName);
    if (alias === undefined) return answerEndpoints([{ host: externalName, port: Number(port) }]);
    asked = alias;
  }
  return answer(503, 'AliasLoop', `Service ${namespace}/${name} leads to others without an end`);
}

interface OfPod {
  /** The only one that is meant. */
  readonly pod: string | undefined;
}

async function answerPort(
  client: Client,
  service: Service,
  { port, pod, signal }: { readonly port: string; readonly signal: AbortSignal } & OfPod,
): Promise<ResponderAnswer> {
  const { name, namespace = '' } = service.metadata;
  const [slices, endpoints] = await Promise.all([
    client.of<EndpointSlice>(endpointSliceType).list({
      namespace,
      labelSelector: `kubernetes.io/service-name=${name}`,
      limit: serviceSlicesMax,
      signal,
    }),
    client.of<Endpoints>(endpointsType).tryGet({ namespace, name }, { signal }),
  ]);
  const objects = { slices: slices.items, endpoints };
  const found = findEndpoints(
    service,
    pod === undefined ? objects : ofPod(pod, objects),
    Number(port),
  );
  if (found.kind === 'found') return answerEndpoints(found.endpoints);
  const what = found.code === 'PortNotFound' ? `no port ${port}` : `nobody ready at port ${port}`;
  return answer(503, found.code, `Service ${namespace}/${name} has ${what}`);
}

/** The Service that a name means which is one in full; `undefined` for any other name. */
function readName(name: string): ServiceName | undefined {
  const [, service, namespace] = /^([^.]+)\.([^.]+)\.svc\.cluster\.local\.?$/i.exec(name) ?? [];
  if (service === undefined || namespace === undefined) return undefined;
  return { namespace: namespace.toLowerCase(), name: service.toLowerCase() };
}

function formatName({ namespace, name }: ServiceName): string {
  return `${namespace}/${name}`;
}

function answerEndpoints(endpoints: readonly EndpointAddress[]): ResponderAnswer {
  const message = 'Somebody answers there';
  return json({ status: 200, code: 'EndpointsFound', message, endpoints });
}

function answer(status: number, code: string, message: string): ResponderAnswer {
  return json({ status, code, message });
}

function json(body: {
  readonly status: number;
  readonly [field: string]: unknown;
}): ResponderAnswer {
  const { status } = body;
  const headers = [['Content-Type', 'application/json']] as const;
  return { status, headers, body: `${JSON.stringify(body)}\n` };
}
