import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type CommonResult,
  readVectors,
} from '../../../packages/invocation/test/call-vectors-contract.ts';
import { type Answer, StartedRunner } from './started-runner.ts';

/** Status, content type and body; or the connection breaks off. */
type Expected = readonly [status: number, type: string | null, body: string] | 'broken';

const styles = ['web', 'event', 'kyma', 'kubeless'] as const;
type Style = (typeof styles)[number];

type Row = Readonly<Partial<Record<Style, Expected>>> & {
  /** A JavaScript expression. */
  readonly returns: string;
};

const rows: readonly Row[] = [
  ...readVectors<CommonResult>('results.json').map(({ node, own, event }) => ({
    ...{ returns: node, web: own, event },
  })),
  ...readVectors<Row>('node-results.json'),
];

const cases = rows.map(({ returns }) => `() => ${returns}`).join(',\n');
const files = {
  'handler.mjs': `
import { Readable } from 'node:stream';
const raise = (error) => { throw error; };
const cases = [${cases}];
export default (request) => cases[Number(new URL(request.url).pathname.slice(1))]();
export const main = ({ extensions }) => cases[Number(extensions.request.path.slice(1))]();`,
};

const runners = new Map<Style, StartedRunner>();
before(async () => {
  for (const style of styles) {
    const compatibility = style === 'kyma' || style === 'kubeless' ? { compatibility: style } : {};
    const handler = style === 'web' ? 'default' : 'main';
    runners.set(style, await StartedRunner.start({ files, handler, ...compatibility }));
  }
});
after(async () => {
  for (const runner of runners.values()) await runner[Symbol.asyncDispose]();
});

function runnerOf(style: Style): StartedRunner {
  const runner = runners.get(style);
  assert.ok(runner);
  return runner;
}

const shape = ({ status, headers, body }: Answer): readonly unknown[] => [
  status,
  headers['content-type'] ?? null,
  body,
];

for (const style of styles) {
  for (const [index, { [style]: expected, returns }] of rows.entries()) {
    if (expected === undefined) continue;
    test(`a handler in ${style} style answers with ${returns}`, async () => {
      const call = runnerOf(style).call({ path: `/${index}` });
      if (expected === 'broken') await assert.rejects(call, { code: 'ECONNRESET' });
      else assert.deepEqual(shape(await call), expected);
    });
  }
}

test('HEAD gets the head of the answer and no body', async () => {
  for (const [index] of rows.entries()) {
    const answer = await runnerOf('web').call({ path: `/${index}`, method: 'HEAD' });
    assert.equal(answer.body, '');
  }
});

test('stacks are in the log, with source positions, and never in the answer', async () => {
  for (const style of styles) {
    const runner = runnerOf(style);
    await runner.logged('Error: secret');
    assert.match(runner.log, /\n\[\d+\] +at .*source\/handler\.mjs:\d+:\d+/);
  }
});

test('pages of any origin may read what functions of Kyma and Kubeless answer, errors too', async () => {
  const failing = rows.findIndex(({ returns }) => returns === 'raise(new Error("secret"))');
  for (const style of styles) {
    for (const path of ['/0', `/${failing}`]) {
      const { headers } = await runnerOf(style).call({ path });
      const expected = style === 'kyma' || style === 'kubeless' ? '*' : undefined;
      assert.equal(headers['access-control-allow-origin'], expected);
    }
  }
});
