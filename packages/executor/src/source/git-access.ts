/**
 * What git needs to reach a server, in a private directory for the time of one use: credentials are
 * in files that only their owner reads, never in arguments, which all processes can see.
 *
 * I1. The environment of git is made here, whole: nothing of this machine's configuration of git or
 *     ssh, and nothing of a repository's, takes part.
 * I2. A password is told to the server that it is for, and to no other that it redirects to.
 */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../npm-command.ts';
import { type GitCredentials, wellKnownHosts } from './git-credentials.ts';
import type { GitLocation } from './git-location.ts';
import type { GitWay } from './git-way.ts';

export interface GitAccessOptions {
  /** Where the private directory is made. */
  readonly directory: string;
  readonly location: GitLocation;
  readonly credentials: GitCredentials;
  /** Of this process: the path, and how the network is reached. */
  readonly environment: Environment;
  /** The way to the server, where it is not git's own. */
  readonly way: GitWay | undefined;
}

export const accessPrefix = 'access-';

const passedOn = /^(PATH|TMPDIR|SSL_CERT_(FILE|DIR))$/i;
const proxies = /^(HTTPS?|NO|ALL)_PROXY$/i;

// I2: git asks "Username for 'https://host': " and "Password for 'https://user@host': ".
const askpass = `#!/bin/sh
here=\${0%/*}
read -r origin < "$here/origin"
rest=\${origin#*://}
case "$1" in
  "Username for '$origin'"*) cat "$here/username" ;;
  "Password for '$origin'"* | "Password for '"*"@$rest'"*) cat "$here/password" ;;
  "Enter passphrase for"*) cat "$here/passphrase" ;;
  *) exit 1 ;;
esac
`;

/** Runs `work` with the environment for git; what was written for it is gone afterwards. */
export async function withGitAccess<T>(
  options: GitAccessOptions,
  work: (environment: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const home = await mkdtemp(join(options.directory, accessPrefix));
  try {
    await chmod(home, 0o700);
    await writeSecrets(home, options);
    return await work(gitEnvironment(home, options));
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function writeSecrets(
  home: string,
  { location, credentials }: GitAccessOptions,
): Promise<void> {
  const { username, password, passphrase, privateKey, knownHosts, authorities } = credentials;
  const files: Readonly<Record<string, string | undefined>> = {
    origin: `${location.origin}\n`,
    username,
    password,
    passphrase,
    key: privateKey,
    known_hosts: knownHosts ?? wellKnownHosts,
    'ca.crt': authorities,
  };
  for (const [name, text] of Object.entries(files)) {
    if (text !== undefined) await writeFile(join(home, name), text, { mode: 0o600 });
  }
  await writeFile(join(home, 'askpass'), askpass, { mode: 0o700 });
}

function gitEnvironment(
  home: string,
  { location, credentials, environment, way }: GitAccessOptions,
): Record<string, string> {
  const kept: Record<string, string> = way?.kind === 'proxy' ? { ALL_PROXY: way.url } : {};
  for (const [name, value] of Object.entries(environment)) {
    // Where Services are is not for a proxy of the machine to know.
    const isKept = passedOn.test(name) || (way === undefined && proxies.test(name));
    if (value !== undefined && isKept) kept[name] = value;
  }
  const askpassPath = join(home, 'askpass');
  const hasAuthorities = credentials.authorities !== undefined;
  return {
    ...kept,
    ...(hasAuthorities ? { GIT_SSL_CAINFO: join(home, 'ca.crt') } : {}),
    HOME: home,
    XDG_CONFIG_HOME: home,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_ALLOW_PROTOCOL: 'https:http:ssh',
    // A server that sends less than this for so long hangs.
    GIT_HTTP_LOW_SPEED_LIMIT: '1000',
    GIT_HTTP_LOW_SPEED_TIME: '30',
    GIT_ASKPASS: askpassPath,
    SSH_ASKPASS: askpassPath,
    SSH_ASKPASS_REQUIRE: 'force',
    GIT_SSH_VARIANT: 'ssh',
    GIT_SSH_COMMAND: sshCommand(home, credentials, placeOptions(location, way)),
  };
}

/** Git gives it to a shell; all that is not a word of ours is quoted. */
function sshCommand(
  home: string,
  { privateKey }: GitCredentials,
  place: readonly string[],
): string {
  const options = [
    ...place,
    'StrictHostKeyChecking=yes',
    `UserKnownHostsFile=${join(home, 'known_hosts')}`,
    'GlobalKnownHostsFile=/dev/null',
    'UpdateHostKeys=no',
    'IdentitiesOnly=yes',
    'IdentityAgent=none',
    'PreferredAuthentications=publickey',
    'NumberOfPasswordPrompts=1',
    'ConnectTimeout=20',
    'ServerAliveInterval=10',
    'ServerAliveCountMax=3',
  ];
  const key = privateKey === undefined ? '/dev/null' : join(home, 'key');
  const words = ['-F', '/dev/null', '-i', key, ...options.flatMap((option) => ['-o', option])];
  return ['ssh', ...words.map(quote)].join(' ');
}

/** Has ssh connect elsewhere; the host and its key go by the name that known_hosts has. */
function placeOptions({ host, port }: GitLocation, way: GitWay | undefined): readonly string[] {
  if (way?.kind !== 'place') return [];
  const { place } = way;
  const alias = port === 22 ? host : `[${host}]:${port}`;
  // Of options that are given twice ssh takes the first.
  return [`HostName=${place.host}`, `Port=${place.port}`, `HostKeyAlias=${alias}`];
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
