import { type ApiRequest, type ApiResponse, textResponse } from '../request/api-request.ts';

export const healthPaths: readonly string[] = ['/healthz', '/livez', '/readyz'];

/** What is asked of the server at a time. */
export interface HealthChecks {
  /** The work behind the API has begun. */
  readonly isReady: boolean;
  /** The store answers. */
  isStoreOpen(): boolean;
}

/** `/livez/ping`: a path of one check, as its page and its name. */
export function parseHealthPath(
  path: string,
): { readonly page: string; readonly check: string | undefined } | undefined {
  const [, page = '', check, ...rest] = path.split('/');
  if (!healthPaths.includes(`/${page}`) || rest.length > 0) return undefined;
  return { page, check };
}

/**
 * Whether the server is well, in the words of kube-apiserver (apiserver, server/healthz): `ok`, or
 * the list of checks when one fails or `?verbose` asks for it. `?exclude=name` leaves checks out.
 */
export function answerHealth(
  { page, check }: { readonly page: string; readonly check: string | undefined },
  checks: HealthChecks,
  { query }: Pick<ApiRequest, 'query'>,
): ApiResponse | undefined {
  const results = new Map<string, boolean>([
    ['ping', true],
    ['etcd', checks.isStoreOpen()],
    // A server that is still starting is alive.
    ...(page === 'livez' ? [] : [['poststarthook/start-controllers', checks.isReady] as const]),
  ]);
  if (check !== undefined) {
    const isWell = results.get(check);
    if (isWell === undefined) return undefined;
    return isWell
      ? textResponse(200, 'ok')
      : textResponse(500, 'internal server error: not ready\n');
  }
  const excluded = new Set(query.getAll('exclude'));
  const asked = [...results].filter(([name]) => !excluded.has(name));
  const isWell = asked.every(([, passed]) => passed);
  if (isWell && !query.has('verbose')) return textResponse(200, 'ok');
  const lines = [...results].map(([name, passed]) => lineOf(name, passed, excluded.has(name)));
  const unknown = [...excluded].filter((name) => !results.has(name));
  const warning =
    unknown.length === 0
      ? []
      : [`warn: some health checks cannot be excluded: no matches for ${quoteAll(unknown)}`];
  const verdict = `${page} check ${isWell ? 'passed' : 'failed'}`;
  return textResponse(isWell ? 200 : 500, [...lines, ...warning, verdict, ''].join('\n'));
}

function lineOf(name: string, passed: boolean, isExcluded: boolean): string {
  if (isExcluded) return `[+]${name} excluded: ok`;
  return passed ? `[+]${name} ok` : `[-]${name} failed: reason withheld`;
}

function quoteAll(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(',');
}
