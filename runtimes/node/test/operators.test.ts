/** Operators as handlers: the calls of a hub are answered by contract, and no others. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { callAsHub } from '../../../packages/sdk/test/operator-vectors-contract.ts';
import { StartedRunner } from './started-runner.ts';

const vectors = new URL('../../../packages/sdk/test/vectors/', import.meta.url);
const sites = readFileSync(new URL('sites.mjs', vectors), 'utf8');
// As users import it; this file itself must not.
const door = 'fnlet/operator';
const files = {
  'sites.mjs': sites,
  'handler.mjs': `
import * as door from '${door}';
import { sites } from './sites.mjs';
export default sites(door);
export const named = sites(door);
if (import.meta.main) await door.run(named);`,
};

test('the calls of a hub are answered as the vectors of the contract say', async () => {
  await using runner = await StartedRunner.start({ files });
  await callAsHub(runner);
  assert.match(
    runner.log,
    /Error: the git server is away\n.* at reconcile \(.*sites\.mjs:\d+:\d+\)/,
  );
  const metrics = await runner.call({ path: '/metrics' });
  assert.match(metrics.body, /function_failures_total\{method="POST"\} 4\n/);
});

test('an operator that is one of several exports is found by its name', async () => {
  await using runner = await StartedRunner.start({ files, handler: 'named' });
  await callAsHub(runner);
});

test('an operator in a Runner that has rehearsed is called as in any other', async () => {
  await using runner = StartedRunner.warm();
  await runner.nextReport();
  runner.send({ type: 'rehearse' });
  runner.specialise({ files });
  assert.equal((await runner.outcome()).type, 'ready');
  await callAsHub(runner);
});

test('a request that is none of a hub is refused, with what to do instead', async () => {
  await using runner = await StartedRunner.start({ files });
  for (const method of ['GET', 'POST']) {
    const { status, body } = await runner.call({
      method,
      ...(method === 'POST' && { body: '{}' }),
    });
    assert.equal(status, 415);
    assert.match(body, /^Cannot answer the request: found no header fnlet-operator-contract/);
    assert.match(body, /"sites\.example\.dev" is an operator: .* the kind Site changes/);
  }
});

test('operators in CommonJS are found, too', async () => {
  const handler = `
const { operator, ConfigMap } = require('fnlet/operator');
module.exports = operator(ConfigMap, { reconcile: () => ({ requeueAfter: '1m' }) });`;
  await using runner = await StartedRunner.start({ files: { 'handler.cjs': handler } });
  const headers = { 'fnlet-operator-contract': '1' };
  const call = {
    ...{ contract: 1, operator: 'a/b', what: 'reconcile', run: 'r', sent: { uid: 'u' } },
    ...{ now: '2026-11-23T08:00:00Z', deadline: '2026-11-23T08:00:10Z' },
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
  };
  const { status, body } = await runner.call({
    method: 'POST',
    headers,
    body: JSON.stringify(call),
  });
  assert.deepEqual([status, JSON.parse(body)], [200, { requeueAfter: '1m' }]);
});
