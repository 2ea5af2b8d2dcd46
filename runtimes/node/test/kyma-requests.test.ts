// Kyma's newer form, (req, res), its module sdk, and what its images have without declaring it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, StartedRunner } from './started-runner.ts';

const json = { 'content-type': 'application/json' };

const sdkHandler = `
  const answer = (req, res) => {
    if (req.path === '/event') return res.json(getCloudEvent(req));
    if (req.path === '/silent') return 'ignored';
    if (req.path === '/throw') throw new Error('secret');
    const span = getTracer().startSpan('a');
    span.end();
    res.status(201).json([
      getFunctionName(), getNamespace(), getRuntime(), getTimeout(), getBodySizeLimit(),
      typeof emitCloudEvent, req.body,
    ]);
    return 'ignored';
  };`;
const names =
  'getTracer, getCloudEvent, emitCloudEvent, getFunctionName, getNamespace, getRuntime, getTimeout, getBodySizeLimit';
const env = { FUNC_NAME: 'f', SERVICE_NAMESPACE: 'n', FUNC_RUNTIME: 'nodejs26', FUNC_TIMEOUT: '3' };

for (const [kind, files] of [
  [
    'imported',
    { 'handler.mjs': `import { ${names} } from 'sdk';${sdkHandler}\nexport { answer as main };` },
  ],
  [
    'required',
    { 'handler.js': `const { ${names} } = require('sdk');${sdkHandler}\nexports.main = answer;` },
  ],
] as const) {
  test(`a handler (req, res) answers by itself, with the sdk ${kind}`, async () => {
    await using runner = await StartedRunner.start({
      files,
      env: { ...env, FUNC_BODY_MB_LIMIT: '2' },
      handler: 'main',
      runtime: 'nodejs26',
      compatibility: 'kyma',
    });
    const answer = await runner.call({ headers: json, body: '{"a":1}' });
    assert.equal(answer.status, 201, runner.log);
    assert.deepEqual(JSON.parse(answer.body), [
      ...['f', 'n', 'nodejs26', 3, 2, 'function'],
      { a: 1 },
    ]);
    const failed = await runner.call({ path: '/throw' });
    assert.deepEqual([failed.status, failed.body], [500, 'Internal server error']);
    const structured = await runner.call({
      path: '/event',
      headers: { 'content-type': 'application/cloudevents+json' },
      body: '{"specversion":"1.0","type":"t","source":"s","id":"1","data_base64":"aGk=","own":"x"}',
    });
    assert.deepEqual(JSON.parse(structured.body), {
      ...{ specversion: '1.0', type: 't', source: 's', id: '1', own: 'x' },
      data: { type: 'Buffer', data: [104, 105] },
    });
    const headers = { ...json, 'ce-type': 't', 'ce-source': 's', 'ce-own': 'x' };
    const binary = await runner.call({ path: '/event', headers, body: '[1]' });
    assert.deepEqual(JSON.parse(binary.body), {
      ...{ type: 't', source: 's', own: 'x', datacontenttype: 'application/json' },
      data: [1],
    });
    const none = await runner.call({ path: '/event', headers: json, body: '1' });
    assert.equal(none.body, 'null');
  });
}

test('a handler (req, res) that never answers is answered 408', async () => {
  await using runner = await StartedRunner.start({
    files: { 'handler.js': 'exports.main = (req, res) => "ignored";' },
    compatibility: 'kyma',
    limits: { timeoutMs: 200 },
  });
  assert.equal((await runner.call()).status, 408);
});

async function loaded(files: Readonly<Record<string, string>>): Promise<Answer> {
  await using runner = await StartedRunner.start({ files, compatibility: 'kyma' });
  return await runner.call();
}

test("the event's tracer is of the SDK that a function registers, or does nothing", async () => {
  const make = `exports.main = ({ tracer }) => {
    const span = tracer.startActiveSpan('a', (active) => active);
    span.addEvent?.('b').setStatus({ code: 1 }).end();
    return [String(tracer.startSpan('c')), span.isRecording?.() ?? 'own'];
  };`;
  const none = await loaded({ 'handler.js': make });
  assert.deepEqual(JSON.parse(none.body), ['[object Object]', false]);
  // As every copy of @opentelemetry/api keeps it.
  const own = `globalThis[Symbol.for('opentelemetry.js.api.1')] = { trace: { getTracer: (name) => ({
    startSpan: (span) => name + ' ' + span, startActiveSpan: (span, body) => body({}) }) } };`;
  const registered = await loaded({ 'handler.js': own + make });
  assert.deepEqual(JSON.parse(registered.body), ['io.kyma-project.serverless c', 'own']);
});
