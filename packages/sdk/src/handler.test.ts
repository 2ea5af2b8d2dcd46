import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventHandler, handler } from '@fnlet/sdk';

test('handler() and eventHandler() give back what they get', () => {
  const web = (request: Request): string => request.url;
  assert.equal(handler(web), web);
  const event = (): number => 1;
  assert.equal(eventHandler(event), event);
});

test('handler() gives its types to what is written in place', async () => {
  const given = handler(async (request, { log, signal }) => {
    log.info(request.url, { aborted: signal.aborted });
    return { method: request.method };
  });
  assert.equal(typeof given, 'function');
  const main = eventHandler((event, context) => {
    event.setResponseStatus(202);
    return [event.data, context['function-name']];
  });
  assert.equal(typeof main, 'function');
});
