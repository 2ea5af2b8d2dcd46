import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiResponse } from '../request/api-request.ts';
import { answerHealth, type HealthChecks, parseHealthPath } from './health.ts';

const well: HealthChecks = { isReady: true, isStoreOpen: () => true };

function ask(path: string, checks: HealthChecks = well): ApiResponse | undefined {
  const { pathname, searchParams: query } = new URL(path, 'https://api');
  const parsed = parseHealthPath(pathname);
  return parsed && answerHealth(parsed, checks, { query });
}

function textOf(response: ApiResponse | undefined): string {
  assert.ok(response?.body.kind === 'text');
  return response.body.text;
}

test('a server that is well says ok, and with ?verbose why', () => {
  assert.equal(textOf(ask('/healthz')), 'ok');
  assert.equal(textOf(ask('/livez?verbose')), '[+]ping ok\n[+]etcd ok\nlivez check passed\n');
});

test('a server that is starting is alive but not ready, and says so with status 500', () => {
  const starting = { ...well, isReady: false };
  assert.equal(ask('/livez', starting)?.status, 200);
  const answer = ask('/readyz', starting);
  assert.equal(answer?.status, 500);
  const line = '[-]poststarthook/start-controllers failed: reason withheld';
  assert.ok(textOf(answer).split('\n').includes(line));
  assert.ok(textOf(answer).endsWith('readyz check failed\n'));
});

test('checks can be left out, and asked for one by one', () => {
  const broken = { ...well, isStoreOpen: () => false };
  assert.equal(ask('/livez', broken)?.status, 500);
  assert.equal(ask('/livez?exclude=etcd', broken)?.status, 200);
  assert.match(textOf(ask('/livez?exclude=etcd&verbose', broken)), /^\[\+\]etcd excluded: ok$/m);
  assert.match(textOf(ask('/livez?exclude=x&verbose')), /cannot be excluded: no matches for "x"/);
  assert.equal(ask('/livez/etcd', broken)?.status, 500);
  assert.equal(ask('/livez/ping', broken)?.status, 200);
  assert.equal(ask('/livez/other'), undefined);
  assert.equal(ask('/other'), undefined);
});
