import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { readVectors } from '../../../packages/invocation/test/call-vectors-contract.ts';
import { type Answer, StartedRunner } from './started-runner.ts';

const styles = ['event', 'kyma', 'kubeless'] as const;
type Style = (typeof styles)[number];

type Expected =
  | { readonly kind: 'none' }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'bytes'; readonly base64: string }
  | { readonly kind: 'refused'; readonly status: number };

type BodyRow = Readonly<Record<Style, Expected>> & {
  readonly name: string;
  readonly contentType: string | null;
  readonly text?: string;
  readonly base64?: string;
};

type EventRow = Readonly<Record<Style, object>> & {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text?: string;
};

const files = {
  'handler.js': `
    const describe = (data) => {
      if (data === undefined) return { kind: 'none' };
      if (Buffer.isBuffer(data)) return { kind: 'bytes', base64: data.toString('base64') };
      return { kind: 'value', value: data };
    };
    exports.main = (event) => {
      const { path } = event.extensions.request;
      if (path === '/data') return JSON.stringify(describe(event.data));
      delete event.extensions;
      delete event.tracer;
      return JSON.stringify(event);
    };`,
};

const runners = new Map<Style, StartedRunner>();
before(async () => {
  for (const style of styles) {
    const compatibility = style === 'event' ? {} : { compatibility: style };
    runners.set(style, await StartedRunner.start({ files, handler: 'main', ...compatibility }));
  }
});
after(async () => {
  for (const runner of runners.values()) await runner[Symbol.asyncDispose]();
});

interface Sent {
  readonly style: Style;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

async function send({ style, path, headers, body }: Sent): Promise<Answer> {
  const runner = runners.get(style);
  assert.ok(runner);
  const length = { 'content-length': String(body?.length ?? 0) };
  return runner.call({
    path,
    method: 'POST',
    headers: { ...headers, ...length },
    ...(body === undefined ? {} : { body }),
  });
}

for (const style of styles) {
  for (const row of readVectors<BodyRow>('bodies.json')) {
    test(`event.data in ${style} style of ${row.name}`, async () => {
      const headers = row.contentType === null ? {} : { 'content-type': row.contentType };
      const body =
        row.base64 === undefined ? Buffer.from(row.text ?? '') : Buffer.from(row.base64, 'base64');
      const answer = await send({ style, path: '/data', headers, body });
      const expected = row[style];
      if (expected.kind === 'refused') assert.equal(answer.status, expected.status);
      else assert.deepEqual(JSON.parse(answer.body), expected);
    });
  }

  for (const row of readVectors<EventRow>('cloud-events.json')) {
    test(`the event in ${style} style of CloudEvents: ${row.name}`, async () => {
      const { headers, text } = row;
      const body = Buffer.from(text ?? '');
      const answer = await send({ style, path: '/event', headers, body });
      assert.deepEqual(JSON.parse(answer.body), row[style]);
    });
  }
}

test('whatever is sent as whatever type gets an answer, and JSON arrives as it was', async () => {
  const types = ['application/json', 'text/plain; charset=utf-16', 'multipart/mixed', '/;=', ''];
  const type = fc.oneof(fc.constantFrom(...types), fc.stringMatching(/^[ -~]{0,20}$/));
  const style = fc.constantFrom(...styles);
  await fc.assert(
    fc.asyncProperty(style, type, fc.uint8Array(), async (given, contentType, body) => {
      const headers = { 'content-type': contentType.trim() };
      const { status } = await send({ style: given, path: '/data', headers, body });
      assert.ok([200, 400, 500].includes(status));
    }),
    { numRuns: 60 },
  );
  await fc.assert(
    fc.asyncProperty(style, fc.jsonValue().filter(Boolean), async (given, value) => {
      const headers = { 'content-type': 'application/json' };
      const body = Buffer.from(JSON.stringify(value));
      const answer = await send({ style: given, path: '/data', headers, body });
      const received: unknown = JSON.parse(answer.body).value;
      assert.equal(JSON.stringify(received), JSON.stringify(value));
    }),
    { numRuns: 60 },
  );
});
