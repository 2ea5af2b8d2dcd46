// Functions in the shape of those that the documents and examples of Kyma and Kubeless show.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Compatibility } from '@fnlet/invocation';
import { type CallOptions, StartedRunner } from './started-runner.ts';

interface Sample {
  readonly name: string;
  readonly system: Compatibility;
  readonly runtime?: string;
  readonly files: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly handler?: string;
  readonly calls: readonly (readonly [CallOptions, number, string])[];
}

const json = { 'content-type': 'application/json' };

const kebabCase = {
  'node_modules/words/package.json': '{ "name": "words", "main": "words.js" }',
  'node_modules/words/words.js':
    'exports.kebabCase = (text) => text.toLowerCase().replace(/[^a-z]+/g, "-").replace(/^-|-$/g, "");',
};

const samples: readonly Sample[] = [
  {
    name: 'a greeting',
    system: 'kyma',
    files: {
      'handler.js': `module.exports = {
        main: function (event, context) {
          return 'Hello World!';
        }
      }`,
    },
    calls: [[{}, 200, 'Hello World!']],
  },
  {
    name: 'a greeting with the name of the function and its runtime',
    system: 'kyma',
    env: { FUNC_NAME: 'greeter', FUNC_RUNTIME: 'nodejs22' },
    files: {
      'handler.js': `module.exports = {
        main: function (event, context) {
          const name = context['function-name'];
          return \`Hello from \${name} on \${context.runtime}\`;
        }
      }`,
    },
    calls: [[{}, 200, 'Hello from greeter on nodejs22']],
  },
  {
    name: 'a dependency, required',
    system: 'kyma',
    files: {
      ...kebabCase,
      'package.json': '{ "name": "f", "version": "1.0.0", "dependencies": { "words": "1" } }',
      'handler.js': `const _ = require('words');
        module.exports = { main: (event, context) => _.kebabCase('Hello World from Node') }`,
    },
    calls: [[{}, 200, 'hello-world-from-node']],
  },
  {
    name: 'a dependency, imported by an ES module',
    system: 'kyma',
    files: {
      ...kebabCase,
      'package.json': '{ "type": "module", "dependencies": { "words": "1" } }',
      'handler.js': `import { kebabCase } from 'words';
        export async function main(event, context) { return kebabCase('Hello World'); }`,
    },
    calls: [[{}, 200, 'hello-world']],
  },
  {
    name: 'a status by what is asked for',
    system: 'kyma',
    files: {
      'handler.js': `module.exports = {
        main: async function (event, context) {
          if (event.extensions.request.query.id === undefined) {
            const response = event.extensions.response;
            response.status(400);
            return;
          }
          return '42';
        }
      }`,
    },
    calls: [
      [{}, 400, ''],
      [{ path: '/?id=1' }, 200, '42'],
    ],
  },
  {
    name: 'the same in the newer form',
    system: 'kyma',
    runtime: 'nodejs26',
    files: {
      'handler.js': `module.exports = {
        main: function (req, res) {
          if (!req.query.id) { res.status(400).send(); return; }
          res.send('42');
        }
      }`,
    },
    calls: [
      [{}, 400, ''],
      [{ path: '/?id=1' }, 200, '42'],
    ],
  },
  {
    name: 'variables and secrets in files',
    system: 'kyma',
    env: { GREETING: 'hi' },
    files: {
      'secret/key': 'secret value',
      'handler.js': `const fs = require('fs');
        module.exports = { main: function () {
          return process.env.GREETING + ' ' + fs.readFileSync('secret/key', 'utf8');
        } }`,
    },
    calls: [[{}, 200, 'hi secret value']],
  },
  {
    name: 'CloudEvents that are kept and read again',
    system: 'kyma',
    files: {
      'handler.js': `let kept = {};
        module.exports = { main: async function (event, context) {
          const { request, response } = event.extensions;
          if (request.method === 'GET') {
            const found = kept[request.query.type];
            return found ? JSON.stringify(found) : response.status(404);
          }
          delete event.extensions;
          delete event.tracer;
          kept[event['ce-type']] = event;
          return event['ce-id'];
        } }`,
    },
    calls: [
      [{ path: '/?type=t' }, 404, ''],
      [
        {
          headers: { 'content-type': 'application/cloudevents+json' },
          body: '{"specversion":"1.0","type":"t","source":"s","id":"7","data":{"a":1}}',
        },
        200,
        '7',
      ],
      [
        { path: '/?type=t' },
        200,
        '{"ce-type":"t","ce-source":"s","ce-specversion":"1.0","ce-id":"7","data":{"a":1}}',
      ],
    ],
  },
  {
    name: 'a store behind paths and methods',
    system: 'kyma',
    files: {
      'handler.js': `const kept = new Map();
        module.exports = { main: async function ({ data, extensions: { request, response } }) {
          const key = request.path.slice(1);
          if (key === '') { response.status(400); return; }
          switch (request.method) {
            case 'POST':
              if (kept.has(key)) return response.sendStatus(409);
              kept.set(key, data);
              return void response.status(201);
            case 'DELETE': kept.delete(key); return response.status(204).send();
            default:
              if (!kept.has(key)) { response.status(404); return; }
              return kept.get(key);
          }
        } }`,
    },
    calls: [
      [{}, 400, ''],
      [{ path: '/a', headers: json, body: '{"n":1}' }, 201, ''],
      [{ path: '/a', headers: json, body: '{"n":2}' }, 409, 'Conflict'],
      [{ path: '/a' }, 200, '{"n":1}'],
      [{ path: '/a', method: 'DELETE' }, 204, ''],
      [{ path: '/a' }, 404, ''],
    ],
  },
  {
    name: 'work for the processor, with parameters in headers',
    system: 'kyma',
    files: {
      'handler.js': `function depth(x, y, most) {
          let [a, b, n] = [0, 0, 0];
          while (a * a + b * b <= 4 && n < most) { [a, b] = [a * a - b * b + x, 2 * a * b + y]; n++; }
          return n;
        }
        module.exports = { main: function (event, context) {
          const { headers } = event.extensions.request;
          const [width, height] = [Number(headers.width), Number(headers.height)];
          const rows = Array.from({ length: height }, (_, y) => Array.from({ length: width },
            (_, x) => depth(4 * x / width - 2, 4 * y / height - 2, Number(headers.iterations))));
          return { width, height, centre: rows[height / 2][width / 2] };
        } }`,
    },
    calls: [
      [
        { headers: { width: '80', height: '64', iterations: '50' } },
        200,
        '{"width":80,"height":64,"centre":50}',
      ],
    ],
  },
  {
    name: 'a greeting of Kubeless',
    system: 'kubeless',
    handler: 'helloget.foo',
    files: {
      'helloget.js': `module.exports = {
        foo: function (event, context) {
          console.log(event);
          return 'hello world!';
        }
      }`,
    },
    calls: [[{}, 200, 'hello world!']],
  },
  {
    name: 'what was sent, answered again',
    system: 'kubeless',
    handler: 'hellowithdata.handler',
    files: {
      'hellowithdata.js':
        'module.exports = { handler: (event, context) => { console.log(event); return event.data; } };',
    },
    calls: [
      [{ headers: json, body: '{"hello":"world"}' }, 200, '{"hello":"world"}'],
      [{ body: 'plain' }, 200, 'plain'],
      [{}, 200, '{}'],
    ],
  },
  {
    name: 'a promise, a query and a status of its own',
    system: 'kubeless',
    handler: 'h.h',
    files: {
      'h.js': `module.exports.h = (event, context) => new Promise((resolve, reject) => {
        const { request, response } = event.extensions;
        if (request.query.status) response.status(Number(request.query.status));
        setImmediate(() => request.query.fail ? reject(new Error('x')) : resolve({ ok: true }));
      });`,
    },
    calls: [
      [{}, 200, '{"ok":true}'],
      [{ path: '/?status=202' }, 202, '{"ok":true}'],
      [{ path: '/?fail=1' }, 500, 'Internal Server Error'],
    ],
  },
  {
    name: 'a body that is streamed through',
    system: 'kubeless',
    handler: 'h.h',
    files: {
      'h.js': `const { Transform } = require('stream');
        module.exports.h = (event) => {
          const { request, response } = event.extensions;
          const upper = new Transform({ transform: (chunk, _, done) => done(null, String(chunk).toUpperCase()) });
          request.pipe(upper).pipe(response);
        };`,
    },
    calls: [
      [
        { headers: { 'content-type': 'multipart/mixed; boundary=x' }, body: 'a part' },
        200,
        'A PART',
      ],
    ],
  },
];

for (const sample of samples) {
  test(`${sample.system}: ${sample.name}`, async () => {
    const { files, env = {}, runtime = 'nodejs24', handler = 'handler.main' } = sample;
    const options = { files, env, runtime, handler, compatibility: sample.system };
    await using runner = await StartedRunner.start(options);
    for (const [call, status, body] of sample.calls) {
      const answer = await runner.call(call);
      assert.deepEqual([answer.status, answer.body], [status, body], runner.log);
    }
  });
}
