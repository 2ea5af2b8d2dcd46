import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type Clock, systemClock } from '@fnlet/base';
import { openExecCredentials } from './exec-credentials.ts';
import { parseExecPlugin } from './exec-plugin.ts';
import type { HttpTransportOptions } from './http-transport.ts';
import { parseImpersonation } from './impersonation.ts';
import { loadInCluster } from './in-cluster.ts';
import { KubeconfigError } from './kubeconfig-error.ts';
import {
  type KubeconfigContents,
  type KubeconfigEntry,
  readData,
  readKubeconfigFiles,
  readPath,
} from './kubeconfig-file.ts';
import { openTokenFile } from './token-file.ts';

export interface LoadKubeconfigOptions {
  /** The only file to read. Default: those in KUBECONFIG, else `~/.kube/config`. */
  readonly file?: string | undefined;
  /** Default: the current context. */
  readonly context?: string | undefined;
  /** The environment: KUBECONFIG and HOME are read; credential plugins get all of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Tells when credentials are too old. Default: the machine's clock. */
  readonly clock?: Clock | undefined;
}

/** Where a context leads, and how to get in; can be given to `createHttpTransport` as it is. */
export interface Kubeconfig extends HttpTransportOptions {
  readonly contextName: string;
  /** The namespace to use when none is named. */
  readonly namespace: string;
}

/**
 * Finds the cluster that a kubeconfig leads to, with the rules of kubectl; in a Pod without any
 * kubeconfig, the cluster that the Pod is in.
 *
 * @example
 * const kubeconfig = await loadKubeconfig({ env: process.env });
 * const client = createClient(createHttpTransport(kubeconfig), { fieldManager: 'fnlet' });
 *
 * @throws KubeconfigError
 */
export async function loadKubeconfig(options: LoadKubeconfigOptions): Promise<Kubeconfig> {
  const { file, env, clock = systemClock } = options;
  const files = await chooseFiles(options);
  if (file === undefined && (env.KUBECONFIG ?? '') === '' && !(await exists(files[0] ?? ''))) {
    const inCluster = await loadInCluster({ env, directory: serviceAccount, clock });
    if (inCluster !== undefined) return { contextName: 'in-cluster', ...inCluster };
  }
  const contents = await readKubeconfigFiles(files);
  const where = files.join(delimiter);
  const context = chooseContext(contents, options.context, where);
  const cluster = findPart(contents.clusters, context, 'cluster');
  const user =
    context.fields.user === undefined ? undefined : findPart(contents.users, context, 'user');
  const transport = await readCluster(cluster);
  return {
    contextName: context.name,
    namespace: textOf(context, 'namespace') ?? 'default',
    ...transport,
    ...(user === undefined ? {} : await readUser(user, transport, options)),
  };
}

/** Where a kubelet puts what a Pod shows to the API. */
const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount';

async function chooseFiles({ file, env }: LoadKubeconfigOptions): Promise<readonly string[]> {
  if (file !== undefined) return [file];
  const listed = (env.KUBECONFIG ?? '').split(delimiter).filter((path) => path !== '');
  const candidates = listed.length > 0 ? listed : [join(env.HOME ?? '', '.kube', 'config')];
  // Files that are missing from a list are passed over; when all are, the first is reported.
  const found = await Promise.all(candidates.map(exists));
  const files = candidates.filter((_, i) => found[i]);
  return files.length > 0 ? files : candidates.slice(0, 1);
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}

function chooseContext(
  contents: KubeconfigContents,
  wanted: string | undefined,
  where: string,
): KubeconfigEntry {
  const name = wanted ?? contents.currentContext;
  const context = contents.contexts.find((entry) => entry.name === name);
  if (context !== undefined) return context;
  const names = contents.contexts.map((entry) => entry.name).join(', ');
  throw new KubeconfigError(
    'UnknownContext',
    `Cannot use context "${name ?? ''}" of kubeconfig "${where}": ` +
      `found ${names === '' ? 'no contexts' : names}, expected one of that name`,
    { remedy: 'Choose a context with --context or kubectl config use-context' },
  );
}

function findPart(
  entries: readonly KubeconfigEntry[],
  context: KubeconfigEntry,
  field: 'cluster' | 'user',
): KubeconfigEntry {
  const name = textOf(context, field);
  const entry = entries.find((candidate) => candidate.name === name);
  if (entry !== undefined) return entry;
  throw new KubeconfigError(
    'Invalid',
    `Cannot use context "${context.name}" of kubeconfig "${context.file}": ` +
      `found no ${field} "${name ?? ''}", expected one of that name`,
  );
}

async function readCluster(cluster: KubeconfigEntry): Promise<HttpTransportOptions> {
  const server = textOf(cluster, 'server');
  if (server === undefined || !URL.canParse(server)) {
    throw new KubeconfigError(
      'Invalid',
      `Cannot use cluster "${cluster.name}" of kubeconfig "${cluster.file}": ` +
        `found server "${server ?? ''}", expected a URL`,
    );
  }
  const proxyUrl = textOf(cluster, 'proxy-url');
  if (proxyUrl !== undefined && !/^https?:\/\//.test(proxyUrl)) {
    throw new KubeconfigError(
      'UnsupportedProxy',
      `Cannot use cluster "${cluster.name}" of kubeconfig "${cluster.file}": ` +
        `found proxy-url ${proxyUrl}, expected one that begins with http:// or https://`,
      { remedy: 'Use a proxy that speaks HTTP, or forward a local port to the API' },
    );
  }
  return {
    server,
    caData: await readData(cluster, 'certificate-authority'),
    insecureSkipTlsVerify: cluster.fields['insecure-skip-tls-verify'] === true,
    tlsServerName: textOf(cluster, 'tls-server-name'),
    proxyUrl,
  };
}

type UserTransport = Pick<
  HttpTransportOptions,
  'certData' | 'keyData' | 'token' | 'credentials' | 'impersonation'
>;

async function readUser(
  user: KubeconfigEntry,
  cluster: HttpTransportOptions,
  options: LoadKubeconfigOptions,
): Promise<UserTransport> {
  const impersonation = parseImpersonation(user.fields);
  const shown = await readCredentials(user, cluster, options);
  return impersonation === undefined ? shown : { ...shown, impersonation };
}

async function readCredentials(
  user: KubeconfigEntry,
  cluster: HttpTransportOptions,
  { env, clock = systemClock }: LoadKubeconfigOptions,
): Promise<UserTransport> {
  for (const field of ['auth-provider', 'username']) {
    if (user.fields[field] !== undefined) throw unsupportedAuth(user, field);
  }
  if (user.fields.exec !== undefined) {
    const plugin = parseExecPlugin(user, cluster);
    return { credentials: openExecCredentials({ plugin, env, clock }) };
  }
  const certificate = {
    certData: await readData(user, 'client-certificate'),
    keyData: await readData(user, 'client-key'),
  };
  // The file wins: whoever rotates the token writes it there (clientcmd, AuthInfo.TokenFile).
  const file = readPath(user, 'tokenFile');
  if (file !== undefined) return { credentials: openTokenFile({ file, certificate, clock }) };
  return { ...certificate, token: textOf(user, 'token')?.trim() };
}

function unsupportedAuth(user: KubeconfigEntry, field: string): KubeconfigError {
  return new KubeconfigError(
    'UnsupportedAuth',
    `Cannot use user "${user.name}" of kubeconfig "${user.file}": ` +
      `found ${field}, expected a token, a client certificate or exec`,
    {
      remedy:
        'Create a token (kubectl create token <serviceaccount>) and add a user with it to the ' +
        'kubeconfig (kubectl config set-credentials <user> --token <token>)',
    },
  );
}

function textOf({ fields }: KubeconfigEntry, field: string): string | undefined {
  const value = fields[field];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
