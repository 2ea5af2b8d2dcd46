import { isIPv4 } from 'node:net';
import type { HttpTriggerObject } from '@fnlet/api/kubeless';
import type { ObjectKey } from '@fnlet/machinery';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';

/** What the flags of `kubeless trigger http` say of a route. */
export interface HttpTriggerFlags {
  readonly functionName?: string;
  readonly hostname?: string;
  readonly path?: string;
  readonly gateway?: string;
  readonly basicAuthSecret?: string;
  readonly tlsSecret?: string;
  readonly enableTLSAcme?: boolean;
  readonly corsEnable?: boolean;
}

/**
 * An HTTPTrigger.
 *
 * @param apiHost Where the API is: with the gateway nginx and no host, Kubeless names one below it
 *   that nip.io resolves; here where it is an address.
 * @throws CliError `usage` for flags that contradict each other
 */
export function planHttpTrigger(
  { name, namespace }: ObjectKey,
  flags: HttpTriggerFlags & { readonly functionName: string },
  apiHost: string,
): HttpTriggerObject {
  const { functionName, gateway = 'nginx' } = flags;
  const below = gateway === 'nginx' && isIPv4(apiHost);
  const host = flags.hostname ?? (below ? `${functionName}.${apiHost}.nip.io` : undefined);
  if (host === undefined && gateway !== 'nginx') {
    throw new CliError(exitCodes.usage, `Hostname is required for the gateway ${gateway}`);
  }
  const given = { ...flags, gateway, ...(host === undefined ? {} : { hostname: host }) };
  return {
    apiVersion: 'kubeless.io/v1beta1',
    kind: 'HTTPTrigger',
    metadata: { name, namespace, labels: { 'created-by': 'kubeless' } },
    spec: { 'function-name': functionName, ...planFields(given) },
  };
}

/** The same trigger with what flags name; what none names stays as it is. */
export function planHttpTriggerUpdate(
  before: HttpTriggerObject,
  flags: HttpTriggerFlags,
): HttpTriggerObject {
  const { functionName } = flags;
  const target = functionName === undefined ? {} : { 'function-name': functionName };
  return { ...before, spec: { ...before.spec, ...target, ...planFields(flags) } };
}

function planFields(flags: HttpTriggerFlags): Partial<HttpTriggerObject['spec']> {
  const { hostname, path, gateway, basicAuthSecret, tlsSecret, enableTLSAcme, corsEnable } = flags;
  if (enableTLSAcme === true && tlsSecret !== undefined) {
    throw new CliError(exitCodes.usage, 'Cannot specify both --enableTLSAcme and --tls-secret');
  }
  return {
    ...(hostname === undefined ? {} : { 'host-name': hostname }),
    // Kubeless put a slash before it itself.
    ...(path === undefined ? {} : { path: path.replace(/^\/+/, '') }),
    ...(gateway === undefined ? {} : { gateway }),
    ...(basicAuthSecret === undefined ? {} : { 'basic-auth-secret': basicAuthSecret }),
    ...(tlsSecret === undefined ? {} : { 'tls-secret': tlsSecret }),
    ...(enableTLSAcme === undefined ? {} : { tls: enableTLSAcme }),
    ...(corsEnable === undefined ? {} : { 'cors-enable': corsEnable }),
  };
}
