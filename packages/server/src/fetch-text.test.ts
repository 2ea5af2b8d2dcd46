import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { createFetchText } from './fetch-text.ts';

const fetchText = createFetchText();

const server = createServer((request, response) => {
  if (request.url === '/never') return;
  response.statusCode = request.url === '/broken' ? 500 : 200;
  response.end(request.url === '/long' ? 'x'.repeat(5000) : 'grüße');
});
let origin = '';
before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const bounds = { bytesMax: 1000, signal: new AbortController().signal };

test('fetchText() gives the text of an answer', async () => {
  assert.equal(await fetchText(`${origin}/`, bounds), 'grüße');
});

test('fetchText() refuses what is no answer, and what is too long', async () => {
  await assert.rejects(fetchText(`${origin}/broken`, bounds), /found status 500, expected 200/);
  await assert.rejects(fetchText(`${origin}/long`, bounds), /more than 1000 bytes/);
});

test('fetchText() ends when its signal aborts', async () => {
  const abort = new AbortController();
  const answer = fetchText(`${origin}/never`, { ...bounds, signal: abort.signal });
  await once(server, 'request');
  abort.abort(new Error('enough'));
  await assert.rejects(answer, /enough/);
});
