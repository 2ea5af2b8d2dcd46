import { ArtifactError } from './artifact-error.ts';

// What the network or a registry that has a bad moment answers with, as opposed to a refusal.
const unreachable = new Set([
  'ENOTFOUND',
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ERR_SOCKET_TIMEOUT',
  'ENOTCACHED',
  'EPIPE',
  'E408',
  'E429',
]);

// Stacks and properties of npm's own errors, empty lines, and where its own log is.
const noise = /^npm (error|ERR!)(\s*$|\s+at |\s{3,}\w+: |\s\}| A complete log)/;

// From here on npm prints how it is used in general.
const manual = /^npm (error|ERR!) (Clean install a project|Usage:)$/;

/**
 * What a failed run of npm means.
 *
 * @param lines The last lines of its output.
 */
export function npmFailure(lines: readonly string[]): ArtifactError {
  const usage = lines.findIndex((line) => manual.test(line));
  const said = usage === -1 ? lines : lines.slice(0, usage);
  const text = said.filter((line) => !noise.test(line)).join('\n');
  const code =
    /^npm (?:error|ERR!) code (\S+)$/m.exec(text)?.[1] ??
    /TAR_ENTRY_ERROR (E\w+)/.exec(text)?.[1] ??
    'unknown';
  if (code === 'E404' || code === 'ETARGET' || code === 'ENOVERSIONS') {
    return notFound(findName(text), text);
  }
  if (unreachable.has(code) || /^E5\d\d$/.test(code)) {
    const url = /(?:request to|- GET) (\S+)/.exec(text)?.[1] ?? 'the npm registry';
    return new ArtifactError(
      'RegistryUnreachable',
      `Cannot reach ${url}: ${code}, expected an answer with the package\n${text}`,
      { retry: 'later', remedy: 'Check the network, the proxy and the registry in .npmrc.' },
    );
  }
  if (code === 'E401' || code === 'E403' || code === 'ENEEDAUTH') {
    // Of what npm advises then, the addresses are those of the public registry.
    const url = / GET (https?:\/\/\S+)/.exec(text)?.[1] ?? 'the npm registry';
    return new ArtifactError(
      'RegistryDenied',
      `Cannot install dependencies: ${url} refuses with ${code}, expected to be let in\n${text}`,
      { remedy: 'Give credentials for this registry in .npmrc.' },
    );
  }
  const remedies: Readonly<Record<string, string>> = {
    EUSAGE: 'Run npm install and give the package-lock.json that it writes, or leave it out.',
    EINTEGRITY: 'The registry serves other content than the lock names; make the lock anew.',
    ENOSPC: 'Free some disk space.',
  };
  return new ArtifactError(
    'InstallFailed',
    `Cannot install dependencies: npm ended with ${code}, expected success\n${text}`,
    { remedy: remedies[code] ?? 'Try the same dependencies with npm install.' },
  );
}

function notFound(name: string | undefined, text: string): ArtifactError {
  const thing = name === undefined ? 'a dependency' : `dependency "${name}"`;
  return new ArtifactError(
    'DependencyNotFound',
    `Cannot find ${thing}: the registry does not have it, expected an existing version\n${text}`,
    { remedy: 'Check the name and the version of the dependency.' },
  );
}

function findName(text: string): string | undefined {
  return (
    /'([^']+)' (?:could not be found|is not in this registry)/.exec(text)?.[1] ??
    /No matching version found for (\S+?)\.?$/m.exec(text)?.[1] ??
    /No versions available for (\S+)/.exec(text)?.[1]
  );
}
