import { methodNotAllowed } from '../answer/status-texts.ts';
import { handleOpenId, openIdPaths } from '../auth/open-id.ts';
import type { TokenIssuer } from '../auth/token-issuer.ts';
import { type ApiRequest, type ApiResponse, jsonResponse } from '../request/api-request.ts';
import type { Catalog } from '../resource/catalog.ts';
import { isRead, pageNotFound } from './discovery-handler.ts';
import { answerHealth, type HealthChecks, healthPaths, parseHealthPath } from './health.ts';
import { answerOpenApi } from './open-api-handler.ts';
import type { OpenApiIndex } from './open-api-index.ts';
import { serverVersion } from './server-version.ts';

/** What such requests are answered from. */
export interface OtherParts {
  readonly catalog: Catalog;
  readonly openApi: OpenApiIndex;
  readonly tokenIssuer: TokenIssuer;
  readonly health: HealthChecks;
  readonly metrics: () => ApiResponse;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Answers a request outside the resources: health, metrics, version, OpenAPI, list of paths. */
export function handleOther(
  { catalog, openApi, tokenIssuer, health, metrics, now }: OtherParts,
  path: string,
  request: ApiRequest,
): ApiResponse | Promise<ApiResponse> {
  const trimmed = path === '/' ? path : path.replace(/\/+$/, '');
  const healthPath = parseHealthPath(trimmed);
  const answer = healthPath && answerHealth(healthPath, health, request);
  if (answer !== undefined) return answer;
  if (trimmed === '/metrics') return metrics();
  if (trimmed === '/version') {
    if (!isRead(request)) throw methodNotAllowed();
    return jsonResponse(200, serverVersion);
  }
  if (trimmed.startsWith('/openapi/')) {
    return answerOpenApi({ openApi, now }, trimmed, request) ?? pageNotFound();
  }
  if (openIdPaths.includes(trimmed)) return handleOpenId(tokenIssuer, trimmed, request);
  if (path !== '/' && path !== '/index.html') return pageNotFound();
  return jsonResponse(200, { paths: servedPaths(catalog) });
}

const fixedPaths = ['/api', '/apis', '/metrics', '/openapi/v2', '/openapi/v3', '/version'];

function servedPaths(catalog: Catalog): readonly string[] {
  const paths = [...fixedPaths, ...healthPaths, ...openIdPaths];
  for (const group of catalog.groups()) {
    const root = group === '' ? '/api' : `/apis/${group}`;
    paths.push(root, ...catalog.versions(group).map((version) => `${root}/${version}`));
  }
  return [...new Set(paths)].sort();
}
