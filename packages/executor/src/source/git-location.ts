/** Where a repository is, in parts. */
export interface GitLocation {
  readonly protocol: 'https' | 'http' | 'ssh';
  /** `https://host:port`, as git names it when it asks for a password; empty for ssh. */
  readonly origin: string;
  readonly host: string;
}

const scpForm = /^[A-Za-z0-9][A-Za-z0-9._~-]*@(\[[^\]]+\]|[^:/@\s]+):/;

/**
 * Takes the URL of a repository apart; `undefined` when it is none that Fnlet fetches from. Local
 * paths, `file:` and git's helpers (`ext::`) would reach into this machine.
 */
export function parseGitUrl(url: string): GitLocation | undefined {
  const scp = scpForm.exec(url)?.[1];
  if (scp !== undefined) return { protocol: 'ssh', origin: '', host: scp };
  const parsed = URL.parse(url);
  if (parsed === null || parsed.password !== '' || parsed.hostname.startsWith('-')) {
    return undefined;
  }
  const { hostname: host, origin } = parsed;
  switch (parsed.protocol) {
    case 'https:':
      return parsed.username === '' ? { protocol: 'https', origin, host } : undefined;
    case 'http:':
      return parsed.username === '' ? { protocol: 'http', origin, host } : undefined;
    case 'ssh:':
      return { protocol: 'ssh', origin: '', host };
    default:
      return undefined;
  }
}
