import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { HttpTransportOptions } from './http-transport.ts';
import { KubeconfigError } from './kubeconfig-error.ts';
import {
  type KubeconfigContents,
  type KubeconfigEntry,
  readData,
  readKubeconfigFiles,
  readReference,
} from './kubeconfig-file.ts';

export interface LoadKubeconfigOptions {
  /** The only file to read. Default: those in KUBECONFIG, else `~/.kube/config`. */
  readonly file?: string | undefined;
  /** Default: the current context. */
  readonly context?: string | undefined;
  /** The environment: KUBECONFIG and HOME are read. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Where a context leads, and how to get in; can be given to `createHttpTransport` as it is. */
export interface Kubeconfig extends HttpTransportOptions {
  readonly contextName: string;
  /** The namespace to use when none is named. */
  readonly namespace: string;
}

/**
 * Finds the cluster that a kubeconfig leads to, with the rules of kubectl.
 *
 * @example
 * const kubeconfig = await loadKubeconfig({ env: process.env });
 * const client = createClient(createHttpTransport(kubeconfig), { fieldManager: 'fnlet' });
 *
 * @throws KubeconfigError
 */
export async function loadKubeconfig(options: LoadKubeconfigOptions): Promise<Kubeconfig> {
  const files = await chooseFiles(options);
  const contents = await readKubeconfigFiles(files);
  const where = files.join(delimiter);
  const context = chooseContext(contents, options.context, where);
  const cluster = findPart(contents.clusters, context, 'cluster');
  const user =
    context.fields.user === undefined ? undefined : findPart(contents.users, context, 'user');
  return {
    contextName: context.name,
    namespace: textOf(context, 'namespace') ?? 'default',
    ...(await readCluster(cluster)),
    ...(user === undefined ? {} : await readUser(user)),
  };
}

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
  if (textOf(cluster, 'proxy-url') !== undefined) {
    throw new KubeconfigError(
      'UnsupportedProxy',
      `Cannot use cluster "${cluster.name}" of kubeconfig "${cluster.file}": ` +
        'found proxy-url, expected a direct way to the server',
      { remedy: 'Use a context without a proxy, or forward a local port to the API' },
    );
  }
  return {
    server,
    caData: await readData(cluster, 'certificate-authority'),
    insecureSkipTlsVerify: cluster.fields['insecure-skip-tls-verify'] === true,
    tlsServerName: textOf(cluster, 'tls-server-name'),
  };
}

type Credentials = Pick<HttpTransportOptions, 'certData' | 'keyData' | 'token'>;

async function readUser(user: KubeconfigEntry): Promise<Credentials> {
  for (const field of ['exec', 'auth-provider', 'username']) {
    if (user.fields[field] !== undefined) throw unsupportedAuth(user, field);
  }
  // The file wins: whoever rotates the token writes it there (clientcmd, AuthInfo.TokenFile).
  const token = (await readReference(user, 'tokenFile')) ?? textOf(user, 'token');
  return {
    certData: await readData(user, 'client-certificate'),
    keyData: await readData(user, 'client-key'),
    token: token?.trim(),
  };
}

function unsupportedAuth(user: KubeconfigEntry, field: string): KubeconfigError {
  return new KubeconfigError(
    'UnsupportedAuth',
    `Cannot use user "${user.name}" of kubeconfig "${user.file}": ` +
      `found ${field}, expected a token or a client certificate`,
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
