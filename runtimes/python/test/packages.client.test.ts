/** Frameworks from the package index, as functions install them. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { startTraceCollector } from '../../../packages/invocation/test/spans-contract.ts';
import { findPython, needsPython } from './python.ts';
import { StartedRunner, type StartOptions } from './started-runner.ts';

const json = { 'content-type': 'application/json' };

describe('packages', needsPython, () => {
  const packages = mkdtempSync(join(tmpdir(), 'fnlet-packages-'));
  before(async () => {
    const telemetry = ['opentelemetry-api>=1.30,<2', 'opentelemetry-sdk>=1.30,<2'];
    const web = ['bottle==0.13.4', 'flask>=3,<4', 'starlette>=0.40,<1', 'requests>=2,<3'];
    const wanted = [...web, ...telemetry];
    const pip = ['-m', 'pip', 'install', '--quiet', '--only-binary', ':all:', '--target', packages];
    await promisify(execFile)(findPython() ?? '', [...pip, ...wanted]);
  });
  after(() => rmSync(packages, { recursive: true, force: true }));

  async function start(source: string, options?: Partial<StartOptions>): Promise<StartedRunner> {
    const runner = StartedRunner.warm();
    await runner.nextReport();
    // The dependencies lie there before the Runner is told of the source.
    const files = { 'handler.py': source };
    runner.specialise({ files, runtime: 'python3.11', ...options }, (directory) =>
      symlinkSync(packages, join(directory, 'site-packages')),
    );
    assert.equal((await runner.outcome()).type, 'ready', runner.log);
    return runner;
  }

  test("Kyma's newer form is a view of Flask", async () => {
    const source = `
import sdk
from flask import request
def main():
    if request.method == "PUT":
        return {"got": request.get_json(), "by": sdk.get_function_name()}, 201
    return "Hello " + request.args["name"]`;
    await using runner = await start(source, { compatibility: 'kyma' });
    assert.equal((await runner.call({ path: '/any/path?name=you' })).body, 'Hello you');
    const put = await runner.call({ method: 'PUT', headers: json, body: '[1]' });
    assert.deepEqual([put.status, JSON.parse(put.body)], [201, { got: [1], by: 'hello' }]);
    assert.equal((await runner.call()).status, 400);
  });

  test("OpenTelemetry's API makes spans of the call, and an SDK keeps its own", async () => {
    const source = (more: string): string => `
from opentelemetry import trace
from opentelemetry.trace import SpanKind, Status, StatusCode, get_tracer
early = get_tracer("early")
${more}
def main(event, context):
    with early.start_as_current_span("outer", kind=SpanKind.PRODUCER) as outer:
        trace.get_current_span().set_attribute("seen", True)
        event.tracer.start_span("inner").end()
        outer.set_status(Status(StatusCode.ERROR, "why"))
        return f"{outer.get_span_context().trace_id:032x}"`;
    const ownSdk = `
from opentelemetry.sdk.trace import TracerProvider
trace.set_tracer_provider(TracerProvider())`;
    await using collector = await startTraceCollector();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    for (const more of ['', ownSdk]) {
      await using runner = await start(source(more), { env, compatibility: 'kyma' });
      const { body } = await runner.call({ headers });
      assert.equal(body, traceId, runner.log);
      runner.send({ type: 'drain' });
      await runner.exited();
    }
    const [inner, outer, call, second, ...none] = collector.spans;
    assert.deepEqual([inner?.name, inner?.parentSpanId], ['inner', outer?.spanId]);
    assert.deepEqual([outer?.kind, outer?.parentSpanId, outer?.scope], [4, call?.spanId, 'early']);
    assert.deepEqual(outer?.attributes, { seen: true });
    assert.deepEqual(outer?.status, { code: 2, message: 'why' });
    assert.deepEqual([second?.name, none], ['GET', []]);
  });

  test('what requests sent of the trace can be read of its answer', async () => {
    const seen: IncomingHttpHeaders[] = [];
    await using target = createServer((request, response) => {
      seen.push(request.headers);
      if (request.url === '/moved') response.setHeader('location', '/');
      response.writeHead(request.url === '/moved' ? 302 : 200).end();
    }).listen(0, '127.0.0.1');
    await once(target, 'listening');
    const address = target.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const source = `
import requests
def main(event, context):
    sent = requests.get("http://127.0.0.1:${port}/moved", headers={"x-own": "mine"}).request
    kept = requests.get("http://127.0.0.1:${port}/", headers={"traceparent": "own"}).request
    return {"sent": dict(sent.headers), "kept": kept.headers["traceparent"]}`;
    await using collector = await startTraceCollector();
    const spans = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    for (const env of [{}, spans]) {
      seen.length = 0;
      await using runner = await start(source, { compatibility: 'kyma', env });
      const answer = await runner.call({ headers: { 'x-b3-sampled': '1' } });
      const { sent, kept } = JSON.parse(answer.body);
      const [, redirected] = seen;
      for (const name of ['traceparent', 'x-b3-traceid', 'x-b3-spanid', 'x-own']) {
        assert.equal(sent[name], redirected?.[name], `${name} ${runner.log}`);
      }
      assert.match(sent['x-b3-spanid'], /^[0-9a-f]{16}$/);
      assert.deepEqual([kept, seen[2]?.traceparent], ['own', 'own']);
    }
  });

  test('Bottle itself takes the place of the module that stands for it', async () => {
    const source = `
import bottle
from bottle import HTTPResponse, request, response
def main(event, context):
    if request.path == "/made":
        return HTTPResponse({"a": 1}, 201)
    response.status = 202
    response.set_header("x-a", "b")
    return {"version": bottle.__version__, "name": request.query.name, "json": request.json}`;
    await using runner = await start(source, { compatibility: 'kyma' });
    const answer = await runner.call({ path: '/?name=you', headers: json, body: '{"a": 1}' });
    assert.equal(answer.status, 202);
    assert.equal(answer.headers['content-type'], 'application/json');
    assert.equal(answer.headers['x-a'], 'b');
    const expected = { version: '0.13.4', name: 'you', json: { a: 1 } };
    assert.deepEqual(JSON.parse(answer.body), expected);
    const made = await runner.call({ path: '/made' });
    assert.deepEqual([made.status, made.headers['content-type']], [201, 'application/json']);
  });

  test('Starlette has WebSockets, and refuses them in its own words', async () => {
    const source = `
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import WebSocketRoute
async def talk(socket):
    if socket.query_params.get("key") != "k":
        return await socket.send_denial_response(PlainTextResponse("no key", 401))
    await socket.accept()
    async for text in socket.iter_text():
        await socket.send_json({"got": text})
    print("over")
app = Starlette(routes=[WebSocketRoute("/talk", talk)])`;
    await using runner = StartedRunner.warm();
    const warm = await runner.nextReport();
    runner.specialise({ files: { 'handler.py': source }, runtime: 'python3.11' }, (directory) =>
      symlinkSync(packages, join(directory, 'site-packages')),
    );
    assert.equal((await runner.outcome()).type, 'ready', runner.log);
    const port = warm.type === 'warm' ? warm.port : 0;
    const socket = new WebSocket(`ws://127.0.0.1:${port}/talk?key=k`);
    await once(socket, 'open');
    socket.send('a');
    const [answer] = await once(socket, 'message');
    assert.equal(answer.data, '{"got":"a"}');
    socket.close();
    await runner.logged('over');
    const handshake = {
      ...{ upgrade: 'websocket', connection: 'upgrade', 'sec-websocket-version': '13' },
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };
    const denied = await runner.call({ path: '/talk', headers: handshake });
    assert.deepEqual([denied.status, denied.body], [401, 'no key']);
    assert.equal((await runner.call({ path: '/else', headers: handshake })).status, 403);
  });

  test('an app of Flask, of Bottle, of Starlette is called as one', async () => {
    const flask = `
from flask import Flask
app = Flask(__name__)
@app.get("/<name>")
def hello(name):
    return (part for part in ["Hello ", name])`;
    const bottle = `
import bottle
app = bottle.Bottle()
@app.get("/<name>")
def hello(name):
    return "Hello " + name`;
    const starlette = `
from contextlib import asynccontextmanager
from starlette.applications import Starlette
from starlette.responses import StreamingResponse
from starlette.routing import Route
@asynccontextmanager
async def lifespan(app):
    app.state.greeting = "Hello "
    yield
async def hello(request):
    parts = [request.app.state.greeting, request.path_params["name"]]
    return StreamingResponse(iter(parts))
app = Starlette(routes=[Route("/{name}", hello)], lifespan=lifespan)`;
    for (const source of [flask, bottle, starlette]) {
      await using runner = await start(source);
      const answer = await runner.call({ path: '/you' });
      assert.deepEqual([answer.status, answer.body], [200, 'Hello you'], runner.log);
      assert.equal((await runner.call({ path: '/not/there' })).status, 404);
    }
  });
});
