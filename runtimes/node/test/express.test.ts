// The members of Express's request and response, as functions that came from elsewhere use them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type CallOptions, StartedRunner } from './started-runner.ts';

const requests: readonly (readonly [string, CallOptions, unknown])[] = [
  ['req.is("json", "html")', { headers: { 'content-type': 'text/html' }, body: 'x' }, 'html'],
  ['req.is(["json"])', { headers: { 'content-type': 'text/html' }, body: 'x' }, false],
  ['req.is("json")', {}, null],
  ['req.accepts("json", "html")', { headers: { accept: 'text/html' } }, 'html'],
  ['req.accepts(["json"])', { headers: { accept: 'text/html' } }, false],
  ['req.acceptsLanguages("de", "en")', { headers: { 'accept-language': 'en' } }, 'en'],
  ['req.acceptsEncodings("br")', {}, false],
  ['req.acceptsCharsets("utf-8")', {}, 'utf-8'],
  ['req.xhr', { headers: { 'x-requested-with': 'XMLHttpRequest' } }, true],
  ['req.ips', { headers: { 'x-forwarded-for': '192.0.2.1, 10.0.0.1' } }, ['192.0.2.1', '10.0.0.1']],
  ['req.subdomains', { headers: { host: 'a.b.example.com:80' } }, ['b', 'a']],
  [
    '[req.host, req.hostname]',
    { headers: { host: 'a.example:80' } },
    ['a.example:80', 'a.example'],
  ],
  ['[req.baseUrl, req.params, req.path]', { path: '/a/b?c' }, ['', {}, '/a/b']],
  ['req.header("Referrer")', { headers: { referer: '/r' } }, '/r'],
  ['req.query', { path: '/?a=1&a=2&b=' }, { a: ['1', '2'], b: '' }],
  ['typeof req.socket.on', {}, 'function'],
];

type Headers = Readonly<Record<string, unknown>>;
const responses: readonly (readonly [string, number, Headers, string])[] = [
  [
    'res.status(201).json({ a: 1 })',
    201,
    { 'content-type': 'application/json; charset=utf-8' },
    '{"a":1}',
  ],
  [
    'res.send("hi")',
    200,
    { 'content-type': 'text/html; charset=utf-8', 'content-length': '2' },
    'hi',
  ],
  ['res.send(Buffer.from("hi"))', 200, { 'content-type': 'application/octet-stream' }, 'hi'],
  ['res.send({ a: 1 })', 200, { 'content-type': 'application/json; charset=utf-8' }, '{"a":1}'],
  ['res.send(42)', 200, { 'content-type': 'application/json; charset=utf-8' }, '42'],
  ['res.send()', 200, { 'content-type': undefined }, ''],
  ['res.status(204).send("x")', 204, {}, ''],
  ['res.type("text").send("ü")', 200, { 'content-type': 'text/plain; charset=utf-8' }, 'ü'],
  ['res.set({ a: "1", B: "2" }).end("x")', 200, { a: '1', b: '2' }, 'x'],
  [
    'res.header("Content-Type", "text/csv").end("x")',
    200,
    { 'content-type': 'text/csv; charset=utf-8' },
    'x',
  ],
  ['res.set("x-n", 7).send(res.get("X-N") + "")', 200, { 'x-n': '7' }, '7'],
  ['res.append("x-a", "1").append("x-a", "2").end()', 200, { 'x-a': '1, 2' }, ''],
  ['res.sendStatus(418)', 418, { 'content-type': 'text/plain; charset=utf-8' }, "I'm a Teapot"],
  ['res.redirect("/a b")', 302, { location: '/a%20b' }, ''],
  ['res.redirect(301, "/a%20b")', 301, { location: '/a%20b' }, ''],
  ['res.location("/a").status(201).end()', 201, { location: '/a' }, ''],
  ['res.vary("A").vary(["a-b", "A"]).end()', 200, { vary: 'A, a-b' }, ''],
  [
    'res.links({ next: "/2" }).links({ last: "/9" }).end()',
    200,
    { link: '</2>; rel="next", </9>; rel="last"' },
    '',
  ],
  [
    'res.cookie("a", "b").cookie("c", "d").end()',
    200,
    { 'set-cookie': ['a=b; Path=/', 'c=d; Path=/'] },
    '',
  ],
  [
    'res.clearCookie("a").end()',
    200,
    { 'set-cookie': ['a=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT'] },
    '',
  ],
  [
    'res.attachment("a.csv").send("x")',
    200,
    {
      'content-disposition': 'attachment; filename="a.csv"',
      'content-type': 'text/csv; charset=utf-8',
    },
    'x',
  ],
  [
    'res.format({ html: () => res.send("h"), json: () => res.send({}) })',
    200,
    { 'content-type': 'text/html; charset=utf-8', vary: 'Accept' },
    'h',
  ],
  ['res.format({})', 406, {}, 'Not Acceptable'],
  ['res.format({ default: () => res.end("d") })', 200, {}, 'd'],
  [
    'res.sendFile("static/a.txt", { root: __dirname })',
    200,
    { 'content-type': 'text/plain; charset=utf-8' },
    'a file',
  ],
  ['res.sendFile("missing.txt", { root: __dirname })', 404, {}, 'Not Found'],
  ['res.sendFile("../../etc/passwd", { root: __dirname })', 403, {}, 'Forbidden'],
  [
    'res.sendFile("missing", { root: __dirname }, (error) => res.status(410).end(error.code))',
    410,
    {},
    'ENOENT',
  ],
  [
    'res.download(__dirname + "/static/a.txt", "b.txt")',
    200,
    { 'content-disposition': 'attachment; filename="b.txt"' },
    'a file',
  ],
  ['(res.locals.a = 1, res.end(String(res.locals.a + (res.req === req))))', 200, {}, '2'],
  ['(res.write("a"), res.end("b"))', 200, {}, 'ab'],
];

const handlers = [
  ...requests.map(([expression]) => `(req, res) => res.json(${expression})`),
  ...responses.map(([expression]) => `(req, res) => ${expression}`),
];
const files = {
  'handler.js': `const handlers = [${handlers.join(',\n')}];
    exports.main = (req, res) => handlers[Number(req.get('x-handler'))](req, res);`,
  'static/a.txt': 'a file',
};

let runner: StartedRunner;
before(async () => {
  runner = await StartedRunner.start({ files, compatibility: 'kyma', runtime: 'nodejs26' });
});
after(() => runner[Symbol.asyncDispose]());

for (const [index, [expression, options, expected]] of requests.entries()) {
  test(`${expression} is ${JSON.stringify(expected)}`, async () => {
    const headers = { ...options.headers, 'x-handler': String(index) };
    const { body } = await runner.call({ ...options, headers });
    assert.deepEqual(JSON.parse(body), expected, runner.log);
  });
}

for (const [index, [expression, status, headers, body]] of responses.entries()) {
  test(`${expression} answers ${status}`, async () => {
    const answer = await runner.call({ headers: { 'x-handler': String(requests.length + index) } });
    assert.deepEqual([answer.status, answer.body], [status, body], runner.log);
    for (const [name, value] of Object.entries(headers)) {
      assert.deepEqual(answer.headers[name], value, name);
    }
  });
}
