import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import type { Compatibility } from '@fnlet/invocation';
import { formatAccess, wantsAccessLog } from './access-log.ts';

const at = new Date('2026-02-03T04:05:06.789Z');

function line(url: string, headers: Readonly<Record<string, string>>, size?: number): string {
  const request = Object.assign(new IncomingMessage(new Socket()), {
    method: 'GET',
    url,
    headers,
    httpVersion: '1.1',
  });
  return formatAccess({ request, response: { statusCode: 201, getHeader: () => size } }, at);
}

test("formatAccess() is Apache's combined format", () => {
  const headers = {
    referer: '/from',
    'user-agent': 'curl',
    'x-forwarded-for': '192.0.2.1, 10.0.0.1',
  };
  assert.equal(
    line('/path?q=1', headers, 12),
    '192.0.2.1 - - [03/Feb/2026:04:05:06 +0000] "GET /path?q=1 HTTP/1.1" 201 12 "/from" "curl"',
  );
});

test('formatAccess() has dashes for what is not known', () => {
  assert.equal(line('/', {}), '- - - [03/Feb/2026:04:05:06 +0000] "GET / HTTP/1.1" 201 - "-" "-"');
});

test('formatAccess() is one line, whatever the client sends', () => {
  const logged = line('/', { 'user-agent': 'a "b" \\ c\u0085\td' });
  assert.ok(logged.endsWith(String.raw`"a \"b\" \\ c\x85\x09d"`), logged);
});

for (const [compatibility, env, wanted] of [
  [undefined, {}, false],
  [undefined, { FNLET_ACCESS_LOG: 'true' }, true],
  [undefined, { FNLET_ACCESS_LOG: 'false' }, false],
  ['kubeless', {}, true],
  ['kyma', {}, false],
  ['kyma', { KYMA_INTERNAL_LOGGER_ENABLED: 'true' }, true],
  ['kyma', { KYMA_INTERNAL_LOGGER_ENABLED: 'false' }, false],
  ['kyma', { SERVER_INTERNAL_LOGGER: '1' }, true],
] satisfies [Compatibility | undefined, Readonly<Record<string, string>>, boolean][]) {
  test(`wantsAccessLog() of ${compatibility} with ${JSON.stringify(env)}`, () => {
    const names = { namespace: 'a', function: 'b', revision: 'c', instance: 'd', runtime: 'e' };
    const limits = { timeoutMs: 1, bodyBytesMax: 1, drainMs: 1 };
    const given = { ...names, sourceDirectory: '/', handler: 'main', env, limits };
    const whole = compatibility === undefined ? given : { ...given, compatibility };
    assert.equal(wantsAccessLog(whole), wanted);
  });
}
