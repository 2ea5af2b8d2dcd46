import { ArtifactError } from '../artifact-error.ts';
import type { GitLocation } from './git-location.ts';

/** The values of a Secret, as text, by their keys. */
export type SecretValues = Readonly<Record<string, string>>;

/** What a server is told about who asks, and what it must show itself. */
export interface GitCredentials {
  readonly username?: string;
  readonly password?: string;
  /** PEM or OpenSSH private key. */
  readonly privateKey?: string;
  readonly passphrase?: string;
  /** In the format of ssh; default: the servers of {@link wellKnownHosts}. */
  readonly knownHosts?: string;
  /** Certificates in PEM that are trusted instead of those of the machine. */
  readonly authorities?: string;
}

// Any name will do where a token is the password (GitHub, GitLab, Gitea, Azure DevOps).
const tokenUser = 'x-access-token';

/**
 * Reads the keys of `kubernetes.io/basic-auth`, of `kubernetes.io/ssh-auth`, of Kyma and of Flux.
 *
 * @throws ArtifactError `SourceDenied` when the Secret has none that fits the protocol
 */
export function parseGitCredentials(
  values: SecretValues,
  { protocol }: GitLocation,
): GitCredentials {
  const authorities = values['ca.crt'] ?? values.caFile;
  const trusted = authorities === undefined ? {} : { authorities };
  if (protocol === 'ssh') {
    const privateKey = values['ssh-privatekey'] ?? values.key ?? values.identity;
    if (privateKey === undefined) throw missing('ssh-privatekey (or key)');
    const { password: passphrase, known_hosts: knownHosts } = values;
    return {
      // OpenSSH refuses a key whose last line is not ended, as editors of Secrets leave it.
      privateKey: `${privateKey.trimEnd()}\n`,
      ...(passphrase === undefined ? {} : { passphrase }),
      ...(knownHosts === undefined ? {} : { knownHosts }),
    };
  }
  const { username, token } = values;
  const password = values.password ?? token;
  if (password === undefined && username === undefined) {
    if (authorities === undefined) throw missing('username and password, token, or ca.crt');
    return trusted;
  }
  return { username: username ?? tokenUser, password: password ?? '', ...trusted };
}

function missing(expected: string): ArtifactError {
  return new ArtifactError(
    'SourceDenied',
    `Cannot use the Secret of the source: found none of its keys, expected ${expected}`,
    { remedy: 'Add the key to the Secret.' },
  );
}

/**
 * Host keys that their owners publish, so that a Secret for them needs no `known_hosts`:
 * docs.github.com "GitHub's SSH key fingerprints", docs.gitlab.com "SSH known_hosts entries",
 * support.atlassian.com "Configure SSH and two-step verification".
 */
export const wellKnownHosts: string = [
  'github.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl',
  'gitlab.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAfuCHKVTjquxvt6CM6tdG4SLp1Btn/nOeHHE5UOzRdf',
  'bitbucket.org ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIazEu89wgQZ4bqs3d63QSMzYVa0MuJ2e2gKTKqu+UUO',
  '',
].join('\n');
