import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AnswerForm, prefersJson, renderAnswer } from './answer.ts';

const form: AnswerForm = {
  requestId: 'r1',
  accept: undefined,
  keepAlive: true,
  legacy: false,
  headOnly: false,
};

test('renderAnswer() writes one line that names the request', () => {
  const answer = { status: 503, code: 'QueueFull', message: 'Full: ü', retryAfterSeconds: 1 };
  assert.equal(
    renderAnswer(answer, form).toString(),
    'HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n' +
      'Content-Length: 22\r\nX-Request-Id: r1\r\nX-Content-Type-Options: nosniff\r\n' +
      'Retry-After: 1\r\n\r\nFull: ü (request r1)\n',
  );
});

test('renderAnswer() leaves out the body of HEAD and says how the connection goes on', () => {
  const answer = { status: 404, code: 'RouteNotFound', message: 'No' };
  const text = (overrides: Partial<AnswerForm>): string =>
    renderAnswer(answer, { ...form, ...overrides }).toString();
  assert.match(text({ headOnly: true }), /Content-Length: 16[\s\S]*\r\n\r\n$/);
  assert.match(text({ keepAlive: false, legacy: true }), /\r\nConnection: close\r\n/);
  assert.match(text({ legacy: true }), /\r\nConnection: keep-alive\r\n/);
});

test('prefersJson() follows the order of what the client accepts', () => {
  for (const [accept, expected] of [
    [undefined, false],
    ['*/*', false],
    ['application/json', true],
    ['application/json, text/plain, */*', true],
    ['text/html, application/json', false],
    ['text/html;q=0.5, application/problem+json', true],
    ['application/json;q=0.2, text/plain;q=0.3', false],
    ['application/json;q=0', false],
    ['application/json;q=x, */*;q=0.1', false],
  ] as const) {
    assert.equal(prefersJson(accept), expected, accept);
  }
});
