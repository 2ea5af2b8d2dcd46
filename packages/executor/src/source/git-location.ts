/** Where a repository is, in parts. */
export interface GitLocation {
  readonly protocol: 'https' | 'http' | 'ssh';
  /** `https://host:port`, as git names it when it asks for a password; empty for ssh. */
  readonly origin: string;
  readonly host: string;
  readonly port: number;
}

const scpForm = /^[A-Za-z0-9][A-Za-z0-9._~-]*@(\[[^\]]+\]|[^:/@\s]+):/;

/**
 * Takes the URL of a repository apart; `undefined` when it is none that Fnlet fetches from. Local
 * paths, `file:` and git's helpers (`ext::`) would reach into this machine.
 */
export function parseGitUrl(url: string): GitLocation | undefined {
  const scp = scpForm.exec(url)?.[1];
  if (scp !== undefined) return { protocol: 'ssh', origin: '', host: scp, port: 22 };
  const parsed = URL.parse(url);
  if (parsed === null || parsed.password !== '' || parsed.hostname.startsWith('-')) {
    return undefined;
  }
  const { hostname: host, origin } = parsed;
  const port = (usual: number): number => (parsed.port === '' ? usual : Number(parsed.port));
  switch (parsed.protocol) {
    case 'https:':
      if (parsed.username !== '') return undefined;
      return { protocol: 'https', origin, host, port: port(443) };
    case 'http:':
      if (parsed.username !== '') return undefined;
      return { protocol: 'http', origin, host, port: port(80) };
    case 'ssh:':
      return { protocol: 'ssh', origin: '', host, port: port(22) };
    default:
      return undefined;
  }
}
