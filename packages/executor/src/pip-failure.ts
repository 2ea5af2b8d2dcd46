import { ArtifactError } from './artifact-error.ts';

// What pip and uv print when a connection came to nothing.
const unreachable =
  /after connection broken by|Failed to (?:fetch|establish a new connection)|error sending request|Could not connect|Temporary failure in name resolution|Max retries exceeded|Read timed out|HTTP error 5\d\d|\b50[234] (?:Server Error|Bad Gateway|Service Unavailable)/;

const denied = /\b40[13] (?:Client Error|Unauthorized|Forbidden)\b/;

// What they print about a package, or a version of it, that is not there (as a wheel).
const missing: readonly RegExp[] = [
  /No matching distribution found for (\S+)/,
  /Because (\S+) was not found in the package registry/,
  /there (?:is|are) no versions? of (\S+)/,
  /Because only \S+ is available and you require ([^\s,]+)/,
  /Because (?:all versions of )?([^\s=<>]+)\S* ha(?:s|ve) no usable wheels/,
];

const remedies: readonly (readonly [RegExp, string])[] = [
  [
    /No module named '?pip/,
    'Install pip for this Python (such as the package python3-pip), or uv.',
  ],
  [/HASHES|hash mismatch/i, 'The index serves other content than the lock names; lock it anew.'],
  [/No space left on device|ENOSPC/, 'Free some disk space.'],
  [/Invalid requirement|Expected .* in requirements|invalid version/i, 'Correct the requirements.'],
  [
    /conflicting dependencies|ResolutionImpossible|No solution found/,
    'Loosen the versions that contradict each other.',
  ],
];

/**
 * What a failed run of pip or uv means.
 *
 * @param lines The last lines of its output.
 * @param program Which of them ran.
 */
export function pipFailure(lines: readonly string[], program: 'pip' | 'uv' = 'pip'): ArtifactError {
  const text = lines.map(shorten).join('\n');
  // First these two: after them pip says of every package that there is none.
  if (unreachable.test(text)) {
    return new ArtifactError(
      'RegistryUnreachable',
      `Cannot reach the package index: found no answer, expected the packages\n${text}`,
      { retry: 'later', remedy: 'Check the network, the proxy and the index in pip.conf.' },
    );
  }
  if (denied.test(text)) {
    return new ArtifactError(
      'RegistryDenied',
      `Cannot install dependencies: the package index refuses, expected to be let in\n${text}`,
      { remedy: 'Give credentials for this index in pip.conf.' },
    );
  }
  const name = missing
    .map((pattern) => pattern.exec(text)?.[1])
    .find((found) => found !== undefined);
  if (name !== undefined) {
    return new ArtifactError(
      'DependencyNotFound',
      `Cannot find dependency "${name}": the index has no such version as a wheel for this ` +
        `Python, expected one\n${text}`,
      {
        remedy:
          'Check the name and the version; what is only there as source needs ' +
          'spec.allowInstallScripts.',
      },
    );
  }
  return new ArtifactError(
    'InstallFailed',
    `Cannot install dependencies: ${program} ended with an error, expected success\n${text}`,
    {
      remedy:
        remedies.find(([pattern]) => pattern.test(text))?.[1] ??
        `Try the same requirements with ${program === 'uv' ? 'uv pip' : 'pip'} install.`,
    },
  );
}

// `(from versions: 1.0, 1.1, …)` may list hundreds.
function shorten(line: string): string {
  return line.replace(/\(from versions: (.{200}).*$/, '(from versions: $1 …)');
}
