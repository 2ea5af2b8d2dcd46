/** Functions of Kyma and Kubeless, as their users wrote them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { needsPython } from './python.ts';
import { StartedRunner } from './started-runner.ts';

const json = { 'content-type': 'application/json' };

test(
  "a Kyma function gets what Kyma's runtime gives, and what it forgot",
  needsPython,
  async () => {
    await using runner = await StartedRunner.start({
      compatibility: 'kyma',
      handler: 'handler.main',
      files: {
        'handler.py': `
def main(event, context):
    request = event["extensions"]["request"]
    assert event.req is request and event.extensions["request"] is request
    with event.tracer.start_as_current_span("work") as span:
        span.set_attribute("a", 1)
    return {
        "data": event["data"], "attribute": event.data, "has": "data" in event,
        "query": request.query.name, "method": request.method, "path": request.path,
        "header": request.get_header("X-Custom"), "any case": request.headers.get("x-CUSTOM"),
        "json": request.json, "url": request.url, "context": context,
    }`,
      },
    });
    const answer = await runner.call({
      method: 'PUT',
      path: '/a/b?name=you',
      headers: { 'content-type': 'Application/JSON; charset=utf-8', 'x-custom': 'c', host: 'h:1' },
      body: '{"a": 1}',
    });
    assert.deepEqual(JSON.parse(answer.body), {
      data: { a: 1 },
      attribute: { a: 1 },
      has: true,
      query: 'you',
      method: 'PUT',
      path: '/a/b',
      header: 'c',
      'any case': 'c',
      json: { a: 1 },
      url: 'http://h:1/a/b?name=you',
      context: {
        'function-name': 'hello',
        namespace: 'demo',
        runtime: 'python3.11',
        timeout: 10,
        'memory-limit': null,
        'body-size-limit': 104_857_600,
      },
    });
    const empty = JSON.parse((await runner.call({ method: 'OPTIONS' })).body);
    assert.deepEqual([empty.data, empty.has, empty.method], [null, false, 'OPTIONS']);
    const malformed = await runner.call({ headers: json, body: '{"a"' });
    assert.equal(malformed.status, 400);
  },
);

test(
  'a Kubeless function gets hyphenated keys, bytes unless JSON, and its request',
  needsPython,
  async () => {
    await using runner = await StartedRunner.start({
      compatibility: 'kubeless',
      handler: 'handler.foo',
      files: {
        'handler.py': `
def foo(event, context):
    return {
        "data": repr(event["data"]), "id": event["event-id"], "type": event["event-type"],
        "time": event["event-time"], "space": event["event-namespace"],
        "method": event["extensions"]["request"].method, "timeout": context["timeout"],
        "keys": sorted(context),
    }`,
      },
    });
    const headers = { 'event-id': 'i', 'event-type': 't', 'event-time': 'now', ...json };
    const answer = JSON.parse((await runner.call({ headers, body: '[1]' })).body);
    assert.deepEqual(answer, {
      data: '[1]',
      id: 'i',
      type: 't',
      time: 'now',
      space: null,
      method: 'POST',
      timeout: '10',
      keys: ['function-name', 'memory-limit', 'namespace', 'runtime', 'timeout'],
    });
    assert.equal(JSON.parse((await runner.call({ body: 'text' })).body).data, "b'text'");
  },
);

test('the module bottle is there without being installed', needsPython, async () => {
  await using runner = await StartedRunner.start({
    compatibility: 'kyma',
    files: {
      'handler.py': `
from bottle import HTTPResponse, HTTPError, abort, redirect, request, response
def main(event, context):
    match request.path:
        case "/abort": abort(403, "no")
        case "/away": redirect("/other")
        case "/raise": raise HTTPResponse({"a": 1}, status=409, headers={"x-a": "b"})
        case "/preset":
            response.status = 201
            response.content_type = "text/csv"
            response.set_header("X-A", "b")
            response.set_cookie("c", "d", path="/", httponly=True)
            return "1,2"
    upload = request.files.get("f")
    return {
        "forms": dict(request.forms), "params": dict(request.params), "x": request.forms.get("x"),
        "file": upload and [upload.filename, upload.file.read().decode()],
        "cookie": request.get_cookie("c"), "auth": request.auth, "body": request.body.read().decode(),
        "environ": request.environ["REQUEST_METHOD"],
    }`,
    },
  });
  assert.deepEqual(await shape(runner.call({ path: '/abort' })), [403, 'no']);
  const away = await runner.call({ path: '/away', headers: { host: 'h' } });
  assert.deepEqual([away.status, away.headers.location], [303, 'http://h/other']);
  const raised = await runner.call({ path: '/raise' });
  assert.deepEqual([raised.status, raised.body, raised.headers['x-a']], [409, '{"a": 1}', 'b']);
  const preset = await runner.call({ path: '/preset' });
  assert.deepEqual([preset.status, preset.body], [201, '1,2']);
  assert.equal(preset.headers['content-type'], 'text/csv');
  assert.deepEqual(preset.headers['set-cookie'], ['c=d; HttpOnly; Path=/']);
  const form = await runner.call({
    path: '/?q=1',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      cookie: 'a=b; c="d e"',
      authorization: `Basic ${btoa('user:pass')}`,
    },
    body: 'x=%C3%A9&y=2',
  });
  assert.deepEqual(JSON.parse(form.body), {
    forms: { x: 'é', y: '2' },
    params: { q: '1', x: 'é', y: '2' },
    x: 'é',
    file: null,
    cookie: 'd e',
    auth: ['user', 'pass'],
    body: 'x=%C3%A9&y=2',
    environ: 'POST',
  });
  const multipart = await runner.call({
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    body: '--b\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\nhi\r\n--b--\r\n',
  });
  assert.deepEqual(JSON.parse(multipart.body).file, ['a.txt', 'hi']);
});

async function shape(call: ReturnType<StartedRunner['call']>): Promise<readonly unknown[]> {
  const { status, body } = await call;
  return [status, body];
}

test('CloudEvents come in structured, in binary mode and in batches', needsPython, async () => {
  await using runner = await StartedRunner.start({
    files: {
      'handler.py': `
def main(event, context):
    request = event.ceHeaders.pop("extensions")["request"]
    return {"event": event, "ce": event.ceHeaders, "method": request.method}`,
    },
  });
  const read = async (headers: Record<string, string>, body: string): Promise<unknown> => {
    const answer = await runner.call({ headers, body });
    return answer.status === 200 ? JSON.parse(answer.body) : answer.status;
  };
  const envelope = { specversion: '1.0', type: 't', source: 's', id: '1', data: { a: 1 } };
  const keys = { 'ce-type': 't', 'ce-source': 's', 'ce-id': '1', 'ce-specversion': '1.0' };
  const typed = { ...keys, 'ce-datacontenttype': 'application/json' };
  const both = (event: object): object => ({ event, ce: event, method: 'POST' });
  const expected = both({ ...keys, data: { a: 1 } });
  const structured = { 'content-type': 'application/cloudevents+json; charset=utf-8' };
  assert.deepEqual(await read(structured, JSON.stringify(envelope)), expected);
  const binary = both({ ...typed, data: { a: 1 } });
  assert.deepEqual(await read({ ...keys, ...json }, '{"a":1}'), binary);
  assert.equal(await read(structured, '[]'), 400);
  const batch = { 'content-type': 'application/cloudevents-batch+json' };
  const batched = await read(batch, JSON.stringify([envelope, { ...envelope, data: 2 }]));
  assert.deepEqual(batched, both({ data: [envelope, { ...envelope, data: 2 }] }));
});

test('an event is published as Kyma does it', needsPython, async () => {
  const received: [IncomingHttpHeaders, Record<string, unknown>][] = [];
  const publisher = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    received.push([request.headers, JSON.parse(text)]);
    response.writeHead(received.length > 1 ? 500 : 204).end();
  });
  publisher.listen(0, '127.0.0.1');
  await once(publisher, 'listening');
  const { port }: AddressInfo = Object(publisher.address());
  try {
    await using runner = await StartedRunner.start({
      compatibility: 'kyma',
      env: { PUBLISHER_PROXY_ADDRESS: `http://127.0.0.1:${port}/publish` },
      files: {
        'handler.py': `
def main(event, context):
    event.emitCloudEvent("order.created.v1", "shop", event["data"], {"eventtypeversion": "v1"})
    return "sent"`,
      },
    });
    assert.equal((await runner.call({ headers: json, body: '{"a":1}' })).body, 'sent');
    const [headers, event] = received[0] ?? [{}, {}];
    assert.equal(headers['content-type'], 'application/cloudevents+json');
    const { id, time, ...rest } = event;
    assert.match(String(id), /^[0-9a-f-]{36}$/);
    assert.ok(!Number.isNaN(Date.parse(String(time))));
    assert.deepEqual(rest, {
      specversion: '1.0',
      type: 'order.created.v1',
      source: 'shop',
      datacontenttype: 'application/json',
      eventtypeversion: 'v1',
      data: { a: 1 },
    });
    const refused = await runner.call();
    assert.deepEqual([refused.status, refused.body], [500, 'Internal server error']);
  } finally {
    publisher.close();
  }
});

test('an event that is returned is answered as one', needsPython, async () => {
  for (const compatibility of ['kyma', 'kubeless'] as const) {
    await using runner = await StartedRunner.start({
      compatibility,
      files: {
        'handler.py':
          'def main(event, context): return {"specversion": "1.0", "type": "t", "source": "s", "id": "1"}',
      },
    });
    const { headers } = await runner.call();
    const type =
      compatibility === 'kyma' ? 'application/cloudevents+json; charset=utf-8' : 'application/json';
    assert.equal(headers['content-type'], type);
  }
});

test('their variables set the timeout and the largest body', needsPython, async () => {
  await using runner = await StartedRunner.start({
    compatibility: 'kubeless',
    env: { FUNC_TIMEOUT: '0.1', FUNC_MEMFILE_MAX: '5' },
    files: {
      'handler.py': `
import time
def main(event, context):
    time.sleep(0 if event["data"] else 1)`,
    },
  });
  assert.equal((await runner.call()).status, 408);
  assert.equal((await runner.call({ body: 'small' })).status, 200);
  assert.equal((await runner.call({ body: 'larger' })).status, 413);
});

test(
  "a Kubeless function logs its calls, and gets a CloudEvent's metadata",
  needsPython,
  async () => {
    await using runner = await StartedRunner.start({
      compatibility: 'kubeless',
      files: {
        'handler.py': 'def main(event, context): return [event["event-id"], event["event-type"]]',
      },
    });
    const answer = await runner.call({
      path: '/a?b',
      headers: { 'ce-id': 'i', 'ce-type': 't', 'ce-source': 's', 'user-agent': 'a "b"', ...json },
      body: '{}',
    });
    assert.equal(answer.body, 'it');
    await runner.logged('"a \\"b\\""\n');
    assert.match(
      runner.log,
      /^- - - \[\d\d\/\w{3}\/\d{4}:[\d:]{8} \+0000\] "POST \/a\?b HTTP\/1\.1" 200 2 "-" "a \\"b\\""$/m,
    );
  },
);

test('metrics of a Kyma function have its name and its spelling', needsPython, async () => {
  await using runner = await StartedRunner.start({
    compatibility: 'kyma',
    files: { 'handler.py': 'def main(event, context): pass' },
  });
  await runner.call();
  const { body } = await runner.call({ path: '/metrics' });
  assert.match(body, /^function_calls_total\{method="GET",otel_scope_name="hello"\} 1$/m);
  assert.match(
    body,
    /^function_duration_miliseconds_count\{method="GET",otel_scope_name="hello"\} 1$/m,
  );
});

test('requests of a handler carry the trace of its call', needsPython, async () => {
  const received: IncomingHttpHeaders[] = [];
  const other = createServer((request, response) => {
    received.push(request.headers);
    response.end();
  });
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port }: AddressInfo = Object(other.address());
  try {
    await using runner = await StartedRunner.start({
      compatibility: 'kyma',
      files: {
        'handler.py': `
def main(event, context):
    from urllib.request import Request, urlopen
    url = "http://127.0.0.1:${port}/"
    urlopen(url)
    urlopen(Request(url, headers={"Traceparent": "mine"}))`,
      },
    });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await runner.call({ headers: { traceparent, tracestate: 'a=b' } });
    await runner.call();
    const [carried, kept, none] = received;
    assert.match(
      String(carried?.traceparent),
      /^00-0af7651916cd43dd8448eb211c80319c-(?!b7ad6b7169203331)[\da-f]{16}-01$/,
    );
    assert.equal(carried?.tracestate, 'a=b');
    assert.equal(carried?.['x-b3-traceid'], '0af7651916cd43dd8448eb211c80319c');
    assert.equal(carried?.['x-b3-sampled'], '1');
    assert.equal(kept?.traceparent, 'mine');
    assert.equal(none?.traceparent, undefined);
  } finally {
    other.close();
  }
});

/** Content type and body -> what `event["data"]` is, printed; for Kubeless, whose runtime knew JSON only. */
const bodies: readonly (readonly [string | undefined, string, string, string])[] = [
  ['application/json', '{"a": 1}', "{'a': 1}", "{'a': 1}"],
  ['application/json; charset=utf-8', '[0]', '[0]', '[0]'],
  ['application/vnd.api+json', '"x"', `b'"x"'`, `b'"x"'`],
  ['application/json', '0', '0', '0'],
  ['application/json', '{', '400', '400'],
  ['text/plain', 'é', "'é'", "b'\\xc3\\xa9'"],
  ['text/csv; charset=latin-1', 'a', "'a'", "b'a'"],
  ['application/x-www-form-urlencoded', 'a=1&b=%20', "{'a': '1', 'b': ' '}", "b'a=1&b=%20'"],
  ['application/octet-stream', 'x', "b'x'", "b'x'"],
  [undefined, 'x', "b'x'", "b'x'"],
  ['application/json', '', 'None', "b''"],
  [undefined, '', 'None', "b''"],
];

for (const compatibility of [undefined, 'kyma', 'kubeless'] as const) {
  test(
    `data is read by its content type, ${compatibility ?? 'by itself'}`,
    needsPython,
    async () => {
      await using runner = await StartedRunner.start({
        files: { 'handler.py': 'def main(event, context): return repr(event["data"])' },
        ...(compatibility === undefined ? {} : { compatibility }),
      });
      for (const [type, body, data, kubelessData] of bodies) {
        const headers = type === undefined ? {} : { 'content-type': type };
        const answer = await runner.call({ method: 'POST', headers, body });
        const expected = compatibility === 'kubeless' ? kubelessData : data;
        const found = answer.status === 200 ? answer.body : String(answer.status);
        assert.equal(found, expected, `${type} ${body}`);
      }
    },
  );
}
