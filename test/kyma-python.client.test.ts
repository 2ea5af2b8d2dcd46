/** The documented samples of Kyma in Python, on the Python that they name. */
import assert from 'node:assert/strict';
import { delimiter, dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { type KymaClients, startKymaClients } from './kyma-clients.ts';
import { until } from './until.ts';

const clients = join(import.meta.dirname, '../node_modules/.cache/clients');
const fetched = ['python3.14/bin', 'uv/bin'].map((directory) => join(clients, directory));

let kyma: KymaClients;
before(async () => {
  const path = [dirname(process.execPath), process.env.PATH, ...fetched].join(delimiter);
  kyma = await startKymaClients({ PATH: path });
});
after(() => kyma[Symbol.asyncDispose]());

const runtime = 'python312';

/** Whether the machine has it. */
async function isHere(name: string): Promise<boolean> {
  const path = ['get', 'runtime', name, '-o', 'jsonpath={.status.state}'];
  const state = await until(() => kyma.kubectl(...path), { what: 'a look at the machine' });
  return state === 'found';
}

function sample(name: string, run: () => Promise<void>, python = 'python3.12'): void {
  test(name, async (t) => {
    if (await isHere(python)) await run();
    else t.skip(`${python} is not on the path`);
  });
}

sample('an inline Function in Python answers, and knows who it is', async () => {
  const source = [
    'import os',
    'def main(event, context):',
    "    known = (context['function-name'], os.environ['FUNC_HANDLER'], os.environ['MOD_NAME'])",
    "    return 'Hello World from %s, %s of %s' % known",
  ].join('\n');
  await kyma.run({ name: 'hello', runtime, source });
  assert.equal(await kyma.answer('hello'), 'Hello World from hello, main of handler');
});

sample('bottle answers with a status, as Kyma’s image has it', async () => {
  const source = [
    'from bottle import HTTPResponse',
    'def main(event, context):',
    "    id = event['extensions']['request'].query.id",
    '    if not id:',
    "        return HTTPResponse(body='no id', status=400)",
    "    return HTTPResponse(body={'id': id}, status=202)",
  ].join('\n');
  await kyma.run({ name: 'bottled', runtime, source });
  assert.equal((await kyma.call('bottled')).status, 400);
  const accepted = await kyma.call('bottled', '?id=7');
  assert.deepEqual([accepted.status, await accepted.json()], [202, { id: '7' }]);
});

sample('data of a JSON body are there by their name', async () => {
  const source = [
    'def main(event, context):',
    "    return {'sum': sum(event['data']['numbers'])}",
  ].join('\n');
  await kyma.run({ name: 'sums', runtime, source });
  const body = JSON.stringify({ numbers: [1, 2, 3] });
  const headers = { 'content-type': 'application/json' };
  const answer = await kyma.answer('sums', '', { method: 'POST', body, headers });
  assert.deepEqual(JSON.parse(answer), { sum: 6 });
});
sample('requirements are installed', async () => {
  const source = [
    'import arrow',
    'def main(event, context):',
    "    return arrow.get('2026-01-01').format('YYYY')",
  ].join('\n');
  await kyma.run({ name: 'dated', runtime, source, dependencies: 'arrow==1.3.0\n' });
  assert.equal(await kyma.answer('dated'), '2026');
});

sample(
  'the newer form is a view of Flask, which no function has to ask for',
  async () => {
    const source = [
      'import sdk',
      'from flask import request',
      'def main():',
      '    if not request.args.get("id"):',
      '        return "no id", 400',
      '    return {"id": request.args["id"], "by": sdk.get_function_name()}, 202',
    ].join('\n');
    const plain = 'def main():\n    return "Hello World"';
    await kyma.run(
      { name: 'newer', runtime: 'python314', source },
      { name: 'plain', runtime: 'python314', source: plain },
    );
    assert.equal((await kyma.call('newer')).status, 400);
    const accepted = await kyma.call('newer', '?id=7');
    assert.deepEqual([accepted.status, await accepted.json()], [202, { id: '7', by: 'newer' }]);
    assert.equal(await kyma.answer('plain'), 'Hello World');
  },
  'python3.14',
);
