/** Operators as handlers: the calls of a hub are answered as the Node Runner answers them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { callAsHub } from '../../../packages/sdk/test/operator-vectors-contract.ts';
import { needsPython } from './python.ts';
import { StartedRunner } from './started-runner.ts';

const vectors = new URL('../../../packages/sdk/test/vectors/', import.meta.url);
const sites = readFileSync(new URL('sites.py', vectors), 'utf8');

test(
  'the calls of a hub are answered as the vectors of the contract say',
  needsPython,
  async () => {
    await using runner = await StartedRunner.start({ files: { 'handler.py': sites } });
    await callAsHub(runner);
    assert.match(
      runner.log,
      /File ".*handler\.py", line \d+, in sites\n.*\n.*the git server is away/,
    );
    const { body } = await runner.call({ path: '/metrics' });
    assert.match(body, /function_failures_total\{method="POST"\} 4(\.0)?\n/);
  },
);

test('functions of an operator may be async', needsPython, async () => {
  const text = sites
    .replaceAll(/def (sites|cleanup)\(/g, 'async def $1(')
    .replace('time.sleep(', 'await asyncio.sleep(')
    .replace('import time', 'import asyncio');
  const handler = 'sites.sites';
  await using runner = await StartedRunner.start({ files: { 'sites.py': text }, handler });
  await callAsHub(runner);
});

test(
  'a request that is none of a hub is refused, with what to do instead',
  needsPython,
  async () => {
    await using runner = await StartedRunner.start({ files: { 'handler.py': sites } });
    for (const method of ['GET', 'POST']) {
      const { status, body } = await runner.call({ method });
      assert.equal(status, 415);
      assert.match(body, /^Cannot answer the request: found no header fnlet-operator-contract/);
      assert.match(body, /"sites\.example\.dev" is an operator: .* the kind Site changes/);
    }
  },
);

test('an answer that is none is a failure with its reason', needsPython, async () => {
  const handler = `
from fnlet.operator import ConfigMap, operator
@operator(ConfigMap)
def maps(request):
    return {"text": ["a list"], "set": {1}}.get(request.object["metadata"]["name"])`;
  await using runner = await StartedRunner.start({ files: { 'handler.py': handler } });
  const expected = { text: /found list, expected a dict or None/, set: /found set/ };
  for (const [name, message] of Object.entries(expected)) {
    const call = {
      ...{ contract: 1, operator: 'a/b', what: 'reconcile', run: 'r', sent: { uid: 'u' } },
      ...{ now: '2026-11-23T08:00:00Z', deadline: '2026-11-23T08:00:10Z' },
      object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } },
    };
    const headers = { 'fnlet-operator-contract': '1' };
    const body = JSON.stringify(call);
    const answer = await runner.call({ method: 'POST', headers, body });
    assert.match(JSON.parse(answer.body).error.message, message);
  }
});
