import { ArtifactError, type ArtifactErrorCode } from '../artifact-error.ts';

type Verdict = readonly [
  pattern: RegExp,
  code: ArtifactErrorCode,
  found: string,
  expected: string,
  remedy: string,
];

// The first that fits counts: what a server says about itself comes before what git makes of it.
const verdicts: readonly Verdict[] = [
  [
    /Host key verification failed|No .* host key is known for|REMOTE HOST IDENTIFICATION/,
    'SourceDenied',
    'a host key that is not known',
    'one that known_hosts of the Secret names',
    'Put the line that ssh-keyscan prints for the host into the key known_hosts of the Secret.',
  ],
  [
    /certificate|SSL|TLS|self.signed/i,
    'SourceDenied',
    'a certificate that is not trusted',
    'one that is signed by a known authority',
    'Put the certificate of its authority into the key ca.crt of the Secret (secretRef).',
  ],
  [
    /Repository not found|repository '[^']*' not found|error: 404|does not appear to be a git repo/i,
    'SourceNotFound',
    'no repository there',
    'one that may be read',
    'Check the url; servers say the same about repositories that the credentials may not see.',
  ],
  [
    /Authentication failed|could not read (Username|Password)|Permission denied|error: 40[13]|incorrect passphrase/,
    'SourceDenied',
    'that access is denied',
    'credentials that may read the repository',
    'Check the Secret that secretRef names, and that there is one.',
  ],
  [
    /not our ref|couldn't find remote ref|unadvertised object|no such remote ref/i,
    'SourceNotFound',
    'no such commit',
    'one that the repository has',
    'It may have been removed by a forced push: choose another reference.',
  ],
  [
    /not a valid object name|not a tree object/i,
    'SourceNotFound',
    'no such directory in the commit',
    'one that it has',
    'Correct the directory.',
  ],
  [
    /No space left on device|Disk quota exceeded/,
    'TooLarge',
    'no space left on the disk',
    'room for the repository',
    'Free some disk space.',
  ],
];

/**
 * What a failed run of git means.
 *
 * @param lines what it said, without credentials
 */
export function gitFailure(url: string, lines: readonly string[]): ArtifactError {
  const text = lines.join('\n');
  // Repositories may be called anything, such as tls.
  const said = text.replace(/'(https?|ssh):[^']*'/g, "''");
  const verdict = verdicts.find(([pattern]) => pattern.test(said));
  if (verdict === undefined) {
    return gitUnreachable(url, 'no answer that git understands', lines);
  }
  const [, code, found, expected, remedy] = verdict;
  const message = `Cannot read repository "${url}": found ${found}, expected ${expected}`;
  return new ArtifactError(code, `${message}\n${text}`, { remedy, retry: 'later' });
}

/** The server did not answer, or stopped in the middle. */
export function gitUnreachable(
  url: string,
  found: string,
  lines: readonly string[],
): ArtifactError {
  const message = `Cannot reach repository "${url}": found ${found}, expected an answer`;
  return new ArtifactError('SourceUnreachable', [message, ...lines].join('\n'), {
    retry: 'later',
    remedy: 'Check the network, the proxy and the url.',
  });
}

/** The repository has no such commit, or no longer. */
export function noCommit(url: string, commit: string): ArtifactError {
  const message = `Cannot read repository "${url}": found no commit ${commit}, expected it there`;
  return new ArtifactError('SourceNotFound', message, {
    retry: 'later',
    remedy: 'It may have been removed by a forced push: choose another reference.',
  });
}
