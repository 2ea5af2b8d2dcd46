import type { GitLocation } from './git-location.ts';
import { openServiceProxy } from './service-proxy.ts';
import { type FindService, type NetworkPlace, nobodyAnswers } from './service-route.ts';

/** How git gets to a server that is a Service: its name means nothing to the machine. */
export type GitWay =
  /** By a proxy that knows it. */
  | { readonly kind: 'proxy'; readonly url: string }
  /** There, and nowhere else. */
  | { readonly kind: 'place'; readonly place: NetworkPlace };

export interface GitWayOptions {
  /** Of the repository, for messages. */
  readonly url: string;
  readonly location: GitLocation;
  /** Default: no host is a Service. */
  readonly findService: FindService | undefined;
  readonly signal: AbortSignal;
}

/**
 * Runs `work` with the way to a server, which is there for as long; `undefined` is git's own.
 *
 * @throws ArtifactError `SourceUnreachable` when it is a Service that nobody answers for
 */
export async function withGitWay<T>(
  { url, location, findService, signal }: GitWayOptions,
  work: (way: GitWay | undefined) => Promise<T>,
): Promise<T> {
  const { host, port, protocol } = location;
  const route = await findService?.({ host, port }, signal);
  if (findService === undefined || route === undefined) return work(undefined);
  if (route.kind === 'nobody') throw nobodyAnswers(url, route.message);
  if (protocol === 'ssh') return work(route);
  // Redirects, and connections that are opened later, ask anew.
  await using proxy = await openServiceProxy(findService);
  return await work({ kind: 'proxy', url: proxy.url });
}
