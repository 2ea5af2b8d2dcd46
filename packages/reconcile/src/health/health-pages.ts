import { type Clock, errorMessage, type Logger, prometheusContentType } from '@fnlet/base';
import type { WebHandler } from '../web-handler.ts';
import { within } from '../within.ts';
import type { HealthCheck } from './health-check.ts';
import { checkTimeoutMs } from './limits.ts';

export interface HealthPagesOptions {
  /** What must be well for the process to be worth keeping. Default: nothing but an answer. */
  readonly healthz?: readonly HealthCheck[];
  /** What must be well for the process to be of use. Default: nothing but an answer. */
  readonly readyz?: readonly HealthCheck[];
  /** The text of `/metrics`. Default: there is no such page. */
  readonly metrics?: () => string;
  readonly clock: Clock;
  readonly logger: Logger;
}

const ping: HealthCheck = { name: 'ping', check: () => {} };

/**
 * `/healthz`, `/readyz` and `/metrics`, as controller-runtime serves them: `ok`, or 500 with a list
 * of the checks; `?verbose` shows the list always, `?exclude=name` leaves one out, and
 * `/readyz/name` asks for one alone. Why a check failed is in the log only: the pages may be read by
 * anybody.
 *
 * @example
 * const pages = createHealthPages({ readyz: [syncedCheck('sites', cache.synced)], clock, logger });
 * const response = await pages(new Request('http://localhost/readyz?verbose'));
 */
export function createHealthPages(options: HealthPagesOptions): WebHandler {
  const pages = new Map([
    ['healthz', [ping, ...(options.healthz ?? [])]],
    ['readyz', [ping, ...(options.readyz ?? [])]],
  ]);
  return async (request) => {
    const url = new URL(request.url);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return new Response('Method Not Allowed\n', { status: 405, headers: { allow: 'GET, HEAD' } });
    }
    if (url.pathname === '/metrics' && options.metrics !== undefined) {
      return new Response(options.metrics(), {
        headers: { 'content-type': prometheusContentType },
      });
    }
    const [page = '', name, ...rest] = url.pathname.slice(1).split('/');
    const checks = select(pages.get(page), name);
    if (checks === undefined || rest.length > 0)
      return new Response('Not Found\n', { status: 404 });
    const excluded = new Set(url.searchParams.getAll('exclude'));
    return await answer(options, {
      page,
      checks: checks.filter((check) => !excluded.has(check.name)),
      isVerbose: url.searchParams.has('verbose'),
    });
  };
}

interface Question {
  readonly page: string;
  readonly checks: readonly HealthCheck[];
  readonly isVerbose: boolean;
}

function select(
  checks: readonly HealthCheck[] | undefined,
  name: string | undefined,
): readonly HealthCheck[] | undefined {
  if (checks === undefined || name === undefined || name === '') return checks;
  const found = checks.filter((check) => check.name === name);
  return found.length === 0 ? undefined : found;
}

async function answer(
  options: HealthPagesOptions,
  { page, checks, isVerbose }: Question,
): Promise<Response> {
  const results = await Promise.all(checks.map((check) => isWell(options, check)));
  const lines = checks.map(({ name }, index) =>
    results[index] === true ? `[+]${name} ok` : `[-]${name} failed: reason withheld`,
  );
  const isGood = results.every(Boolean);
  const end = `${page} check ${isGood ? 'passed' : 'failed'}\n`;
  const text = isGood && !isVerbose ? 'ok' : [...lines, end].join('\n');
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  };
  return new Response(text, { status: isGood ? 200 : 500, headers });
}

async function isWell({ clock, logger }: HealthPagesOptions, check: HealthCheck): Promise<boolean> {
  try {
    await within({ clock, timeoutMs: checkTimeoutMs }, (signal) => inTime(check, signal));
    return true;
  } catch (error) {
    logger.warn(`Health check "${check.name}" failed: ${errorMessage(error)}`);
    return false;
  }
}

/** A check that ignores its signal is not waited for. */
async function inTime(check: HealthCheck, signal: AbortSignal): Promise<void> {
  const late = Promise.withResolvers<never>();
  const onAbort = (): void => late.reject(new Error(`not done after ${checkTimeoutMs} ms`));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([check.check(signal), late.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
