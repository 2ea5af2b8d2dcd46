/** Header values beyond ASCII are latin1, octet for octet, whatever the answer behind them is. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { StartedRunner } from './started-runner.ts';

// Node's client reads and writes headers as latin1, so that text stands for octets here.
const value = 'caf\u00e9 \u0080\u00ff';

const web = {
  text: '"ascii"',
  more: '"ü"',
  none: 'null',
  bytes: 'new Uint8Array([104])',
  stream: 'ReadableStream.from(["h", "i"])',
} as const;

const event = {
  returned: 'return "ascii";',
  'returned beyond ASCII': 'return "ü";',
  iterated: 'return (async function* () { yield "hi"; })();',
  ended: 'response.end("ascii");',
  'ended with an encoding': 'response.end("fc", "hex");',
  'ended with a callback': 'response.end("ascii", () => {});',
  sent: 'response.send("ü");',
  'sent as JSON': 'response.json({ a: 1 });',
  written: 'response.setHeader("content-length", 2); response.write("hi"); response.end();',
  'written with an encoding': 'response.write("h", "utf8", () => response.end("i"));',
  redirected: 'response.redirect("/");',
} as const;

const files = {
  'handler.mjs': `
    const bodies = { ${Object.entries(web).map(([name, code]) => `"${name}": () => ${code}`)} };
    const ways = { ${Object.entries(event).map(
      ([name, code]) => `"${name}": (response) => { ${code} }`,
    )} };
    const named = (url) => decodeURIComponent(url.replace(/^.*[/]/, ''));
    export default (request) => new Response(bodies[named(request.url)](), {
      headers: { 'x-out': request.headers.get('x-in') },
    });
    export const main = ({ extensions: { request, response } }) => {
      response.setHeader('x-out', request.headers['x-in']);
      return ways[named(request.url)](response);
    };`,
};

const runners = new Map<string, StartedRunner>();

before(async () => {
  for (const handler of ['default', 'main']) {
    runners.set(handler, await StartedRunner.start({ files, handler }));
  }
});

after(async () => {
  for (const runner of runners.values()) await runner[Symbol.asyncDispose]();
});

for (const [handler, names] of [
  ['default', Object.keys(web)],
  ['main', Object.keys(event)],
] as const) {
  for (const name of names) {
    test(`a header beyond ASCII passes with ${handler}: ${name}`, async () => {
      const path = `/${encodeURIComponent(name)}`;
      const answer = await runners.get(handler)?.call({ path, headers: { 'x-in': value } });
      assert.equal(answer?.headers['x-out'], value);
    });
  }
}

test('HEAD of an event stream is answered without an event', async () => {
  const source = 'export default () => (async function* () { await new Promise(() => {}); })();';
  await using runner = await StartedRunner.start({ files: { 'handler.mjs': source } });
  const { status, headers, body } = await runner.call({ method: 'HEAD' });
  assert.deepEqual([status, body], [200, '']);
  assert.equal(headers['content-type'], 'text/event-stream; charset=utf-8');
});
