/** Bodies of requests to ASGI apps, which take them as they come. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { needsPython } from './python.ts';
import { readAnswer, StartedRunner } from './started-runner.ts';

const app = `
import asyncio, hashlib
go_on = asyncio.Event()

async def read(receive):
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            print("disconnected", flush=True)
            return
        yield message["body"]
        if not message["more_body"]:
            return

async def app(scope, receive, send):
    async def answer(body, more=False):
        await send({"type": "http.response.body", "body": body, "more_body": more})

    path = scope["path"]
    await send({"type": "http.response.start", "status": 200, "headers": []})
    if path == "/echo":
        async for part in read(receive):
            await answer(part, True)
    elif path == "/hash":
        await go_on.wait()
        digest, parts = hashlib.sha256(), 0
        async for part in read(receive):
            digest.update(part)
            parts += 1
        await answer(f"{digest.hexdigest()} {parts > 1}".encode())
        return
    elif path == "/go-on":
        go_on.set()
    elif path == "/watch":
        async for part in read(receive):
            print("got", len(part), flush=True)
        return
    await answer(b"done")
`;

describe('uploads', needsPython, () => {
  let runner: StartedRunner;
  before(async () => {
    runner = await StartedRunner.start({
      files: { 'handler.py': app },
      limits: { bodyBytesMax: 16_000_000 },
    });
  });
  after(() => runner[Symbol.asyncDispose]());

  test('an app answers to the first part before the second is sent', async () => {
    const request = runner.request({ method: 'POST', path: '/echo' });
    request.write('one');
    const [response] = await once(request, 'response');
    response.setEncoding('utf8');
    assert.deepEqual(await once(response, 'data'), ['one']);
    request.write('two');
    assert.deepEqual(await once(response, 'data'), ['two']);
    request.end();
    assert.equal((await response.toArray()).join(''), 'done');
  });

  test('what an app does not take yet waits with its sender, and arrives whole', async () => {
    const body = Buffer.alloc(8_000_000, 'a body ');
    const request = runner.request({ method: 'POST', path: '/hash' });
    request.end(body);
    // Asked for before the app goes on: an answer that nobody waits for is thrown away.
    const answered = readAnswer(request);
    const [socket] = await once(request, 'socket');
    // By then the Runner has taken all that it takes.
    for (let call = 0; call < 5; call++) await runner.call({ path: '/' });
    assert.ok(socket.writableLength > 4_000_000, `${socket.writableLength}`);
    await runner.call({ path: '/go-on' });
    const digest = await crypto.subtle.digest('SHA-256', body);
    assert.equal((await answered).body, `${Buffer.from(digest).toString('hex')} True`);
  });

  test('an app may answer without reading', async () => {
    const body = Buffer.alloc(1_000_000);
    const { status, body: answer } = await runner.call({ path: '/', method: 'POST', body });
    assert.deepEqual([status, answer], [200, 'done']);
  });

  test('an app is told that its client went away', async () => {
    const request = runner.request({ method: 'POST', path: '/watch' }).on('error', () => {});
    request.write('half');
    await runner.logged('got 4');
    request.destroy();
    await runner.logged('disconnected');
    assert.equal((await runner.call({ path: '/' })).body, 'done');
  });

  test('a body beyond the limit is refused once that is known, and its app told', async () => {
    await using small = await StartedRunner.start({
      files: { 'handler.py': app },
      limits: { bodyBytesMax: 1000 },
    });
    const declared = await small.call({ path: '/watch', method: 'POST', body: 'x'.repeat(2000) });
    assert.equal(declared.status, 413);
    const request = small.request({ method: 'POST', path: '/watch' });
    request.write('x'.repeat(900));
    await small.logged('got 900');
    request.end('x'.repeat(900));
    assert.equal((await readAnswer(request)).status, 413);
    await small.logged('disconnected');
    const begun = small.request({ method: 'POST', path: '/echo' });
    begun.write('x');
    const [response] = await once(begun, 'response');
    begun.end('x'.repeat(2000));
    await assert.rejects(response.toArray());
  });
});
