import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, errorMessage } from '@fnlet/base';
import type { HttpTransportOptions } from './http-transport.ts';
import { KubeconfigError } from './kubeconfig-error.ts';
import { openTokenFile } from './token-file.ts';

export interface InClusterOptions {
  /** KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are read. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the kubelet puts token, CA and namespace. */
  readonly directory: string;
  readonly clock: Clock;
}

/** Where a Pod is, and how it gets in. */
export interface InCluster extends HttpTransportOptions {
  /** The Pod's own. */
  readonly namespace: string;
}

/**
 * How a Pod reaches the API of its cluster; `undefined` outside of one.
 *
 * @throws KubeconfigError `Invalid`
 */
export async function loadInCluster(options: InClusterOptions): Promise<InCluster | undefined> {
  const { env, directory, clock } = options;
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '443' } = env;
  if (host === '') return undefined;
  const read = async (name: string): Promise<string> => {
    try {
      return (await readFile(join(directory, name), 'utf8')).trim();
    } catch (error) {
      throw new KubeconfigError(
        'Invalid',
        `Cannot use the ServiceAccount of this Pod: ${errorMessage(error)}, expected ${name}`,
        {
          cause: error,
          remedy: 'Set automountServiceAccountToken of the Pod, or name a kubeconfig',
        },
      );
    }
  };
  return {
    namespace: await read('namespace'),
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    caData: await read('ca.crt'),
    credentials: openTokenFile({ file: join(directory, 'token'), certificate: {}, clock }),
  };
}
