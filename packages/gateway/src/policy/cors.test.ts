import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CorsRequest, type CorsSettings, decideCors, matchesOrigin } from './cors.ts';

const page = 'https://app.example.com';

function actual(settings: CorsSettings, origin: string | undefined): Record<string, string> {
  const request = { method: 'GET', origin, requestMethod: undefined, requestHeaders: undefined };
  const decision = decideCors(settings, request);
  assert.equal(decision.kind, 'actual');
  return decision.kind === 'actual' ? Object.fromEntries(decision.changes.add) : {};
}

function preflight(settings: CorsSettings, given: Partial<CorsRequest> = {}): string[] {
  const decision = decideCors(settings, {
    method: 'OPTIONS',
    origin: page,
    requestMethod: 'PUT',
    requestHeaders: undefined,
    ...given,
  });
  assert.equal(decision.kind, 'preflight');
  const fields = decision.kind === 'preflight' ? decision.fields : [];
  return fields.map(([name, value]) => `${name.replace('Access-Control-', '')}: ${value}`);
}

test('matchesOrigin() compares whole origins', () => {
  for (const [pattern, origin, expected] of [
    ['*', page, true],
    ['*', 'null', true],
    ['*', 'not an origin', false],
    [page, page, true],
    [page, 'HTTPS://APP.example.COM', true],
    [page, 'http://app.example.com', false],
    [page, 'https://app.example.com:8443', false],
    [page, 'https://app.example.com.evil.org', false],
    [page, 'https://xapp.example.com', false],
    [page, 'null', false],
    ['https://*.example.com', page, true],
    ['https://*.example.com', 'https://a.b.example.com', true],
    ['https://*.example.com', 'https://example.com', false],
    ['https://*.example.com', 'https://.example.com', false],
    ['https://*.example.com', 'https://evilexample.com', false],
    ['https://*.example.com', 'https://evil.org/.example.com', false],
    ['https://*.example.com', 'https://evil.org#.example.com', false],
    ['https://*.example.com', 'https://evil.org:1@x.example.com', false],
    ['https://*.example.com', 'http://app.example.com', false],
    ['https://*.example.com', 'https://app.example.com:8443', false],
    ['https://*.example.com:8443', 'https://app.example.com:8443', true],
  ] as const) {
    assert.equal(matchesOrigin(pattern, origin), expected, `${pattern} ${origin}`);
  }
});

test('an allowed origin sees the answer, another one does not', () => {
  const settings = { origins: [page], exposedHeaders: ['X-Total', 'ETag'] };
  assert.deepEqual(actual(settings, page), {
    'Access-Control-Allow-Origin': page,
    'Access-Control-Expose-Headers': 'X-Total, ETag',
    Vary: 'Origin',
  });
  assert.deepEqual(actual(settings, 'https://evil.org'), { Vary: 'Origin' });
  assert.deepEqual(actual(settings, undefined), { Vary: 'Origin' });
});

test('any origin gets "*", which needs no Vary, but with credentials its own name', () => {
  assert.deepEqual(actual({ origins: ['*'] }, page), { 'Access-Control-Allow-Origin': '*' });
  assert.deepEqual(actual({ origins: ['*'], credentials: true }, page), {
    'Access-Control-Allow-Origin': page,
    'Access-Control-Allow-Credentials': 'true',
    Vary: 'Origin',
  });
});

test('what the function says about CORS itself is replaced', () => {
  const decision = decideCors(
    { origins: [page] },
    {
      method: 'GET',
      origin: undefined,
      requestMethod: undefined,
      requestHeaders: undefined,
    },
  );
  const removed = decision.kind === 'actual' ? decision.changes.remove : new Set();
  assert.ok(removed.has('access-control-allow-origin') && !removed.has('vary'));
});

test('a preflight is told what may be sent, and how long that holds', () => {
  assert.deepEqual(
    preflight(
      { origins: [page], maxAgeSeconds: 600, credentials: true },
      { requestHeaders: 'X-A,content-type, b@d, X-B: evil\r\n' },
    ),
    [
      `Allow-Origin: ${page}`,
      'Allow-Credentials: true',
      'Allow-Methods: GET, HEAD, POST, PUT, PATCH, DELETE',
      'Allow-Headers: X-A, content-type',
      'Max-Age: 600',
      'Vary: Access-Control-Request-Headers',
      'Vary: Origin',
    ],
  );
  assert.deepEqual(preflight({ origins: ['*'], methods: ['GET'], headers: ['X-A', 'X-B'] }), [
    'Allow-Origin: *',
    'Allow-Methods: GET',
    'Allow-Headers: X-A, X-B',
  ]);
});

test('a preflight of another origin is told nothing', () => {
  assert.deepEqual(preflight({ origins: [page] }, { origin: 'https://evil.org' }), [
    'Vary: Origin',
  ]);
});

test('OPTIONS that is no preflight goes to the function', () => {
  for (const given of [{ origin: undefined }, { requestMethod: undefined }]) {
    const request = { method: 'OPTIONS', origin: page, requestMethod: 'PUT', requestHeaders: '' };
    assert.equal(decideCors({ origins: ['*'] }, { ...request, ...given }).kind, 'actual');
  }
});
