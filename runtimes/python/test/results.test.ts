/** What comes out of return values, with their types on the wire. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CommonResult,
  readVectors,
} from '../../../packages/invocation/test/call-vectors-contract.ts';
import { needsPython } from './python.ts';
import { type Answer, StartedRunner } from './started-runner.ts';

type Expected = readonly [status: number, type: string | null, body: string];
type Column = 'own' | 'event' | 'kyma' | 'kubeless';

/** A Python expression, and its answers. */
type Row = { readonly returns: string } & Readonly<Partial<Record<Column, Expected>>>;

const rows: readonly Row[] = [
  ...readVectors<CommonResult>('results.json').map(({ python, own, event }) => ({
    ...{ returns: python, own, event },
  })),
  ...readVectors<Row>('python-results.json'),
];

const source = (style: string): string => `
import io
from fnlet import Response
from bottle import HTTPResponse, HTTPError
async def later(*items):
    for item in items:
        yield item
def throw(error):
    raise error
values = [${rows.map(({ returns }) => `lambda: ${returns}`).join(',\n')}]
def handler(${style}):
    path = ${style}.path if hasattr(${style}, "path") else ${style}["extensions"]["request"].path
    return values[int(path[1:])]()
async def asynchronous(${style}):
    return handler(${style})`;

const shape = ({ status, headers, body }: Answer): readonly unknown[] => [
  status,
  headers['content-type'] ?? null,
  body,
];

for (const [style, column] of [
  ['request', 'own'],
  ['event', 'event'],
  ['event', 'kyma'],
  ['event', 'kubeless'],
] as const) {
  for (const handler of ['handler', 'asynchronous']) {
    const compatibility = column === 'kyma' || column === 'kubeless' ? column : undefined;
    const name = `${handler}(${style})${compatibility === undefined ? '' : ` of ${compatibility}`}`;
    test(`${name} answers with what it returns`, needsPython, async () => {
      await using runner = await StartedRunner.start({
        files: { 'handler.py': source(style) },
        handler,
        ...(compatibility === undefined ? {} : { compatibility }),
      });
      for (const [index, row] of rows.entries()) {
        const expected = row[column];
        if (expected === undefined) continue;
        const answer = await runner.call({ path: `/${index}` });
        assert.deepEqual(shape(answer), expected, `${row.returns}\n${runner.log}`);
        const head = await runner.call({ path: `/${index}`, method: 'HEAD' });
        assert.deepEqual([head.status, head.body], [expected[0], ''], row.returns);
      }
    });
  }
}
