import { dirname, resolve } from 'node:path';
import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { HttpAgentOptions } from './http-agent.ts';
import { KubeconfigError } from './kubeconfig-error.ts';
import type { KubeconfigEntry } from './kubeconfig-file.ts';

/** `exec` of a user in a kubeconfig. */
export interface ExecPlugin {
  readonly apiVersion: string;
  /** A name in PATH, or an absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What to say when there is no such program. */
  readonly installHint: string | undefined;
  /** Told to the program when it asks for it (`provideClusterInfo`). */
  readonly cluster: JsonObject | undefined;
}

const versions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

/** @throws KubeconfigError `Invalid`, or `UnsupportedAuth` for one that must talk to a human */
export function parseExecPlugin(user: KubeconfigEntry, cluster: HttpAgentOptions): ExecPlugin {
  const exec: JsonObject = isJsonObject(user.fields.exec) ? user.fields.exec : {};
  const { apiVersion, command, args, env, installHint, interactiveMode } = exec;
  if (typeof apiVersion !== 'string' || !versions.includes(apiVersion)) {
    const found = `found exec.apiVersion ${JSON.stringify(apiVersion)}`;
    throw unusable('Invalid', user, `${found}, expected ${versions.join(' or ')}`);
  }
  if (typeof command !== 'string' || command === '') {
    throw unusable('Invalid', user, 'found no exec.command, expected a program');
  }
  if (interactiveMode === 'Always') {
    const found = 'found exec.interactiveMode Always';
    throw unusable('UnsupportedAuth', user, `${found}, expected a plugin that needs no terminal`);
  }
  return {
    apiVersion,
    // As kubectl: a path that is not absolute starts at the kubeconfig, a name is looked up in PATH.
    command: command.includes('/') ? resolve(dirname(user.file), command) : command,
    args: Array.isArray(args) ? args.map(String) : [],
    env: variablesOf(env),
    installHint: typeof installHint === 'string' ? installHint : undefined,
    cluster: exec.provideClusterInfo === true ? clusterInfo(cluster) : undefined,
  };
}

function variablesOf(list: unknown): Readonly<Record<string, string>> {
  const variables = Array.isArray(list) ? list.filter(isJsonObject) : [];
  return Object.fromEntries(variables.map(({ name, value }) => [String(name), String(value)]));
}

function clusterInfo(cluster: HttpAgentOptions): JsonObject {
  const { server, caData, insecureSkipTlsVerify, tlsServerName, proxyUrl } = cluster;
  return {
    server,
    'certificate-authority-data': caData && Buffer.from(caData).toString('base64'),
    'insecure-skip-tls-verify': insecureSkipTlsVerify,
    'tls-server-name': tlsServerName,
    'proxy-url': proxyUrl,
  };
}

function unusable(
  code: 'Invalid' | 'UnsupportedAuth',
  user: KubeconfigEntry,
  found: string,
): KubeconfigError {
  const message = `Cannot use user "${user.name}" of kubeconfig "${user.file}": ${found}`;
  return new KubeconfigError(code, message);
}
