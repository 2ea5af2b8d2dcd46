/** Functions in Python, from the manifest to the answer. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { needsPython, pythonName } from '../runtimes/python/test/python.ts';
import { createApi, type TestApi } from './api-access.ts';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';

const caller = `
import asyncio
from urllib.request import urlopen

async def by_streams(host, path):
    reader, writer = await asyncio.open_connection(host, 80)
    writer.write(f"GET {path} HTTP/1.1\\r\\nHost: {host}\\r\\nConnection: close\\r\\n\\r\\n".encode())
    answer = await reader.read()
    writer.close()
    return answer.partition(b"\\r\\n\\r\\n")[2].decode()

def handler(request):
    url = request.query.url
    try:
        if request.query.streams:
            return asyncio.run(by_streams(url, "/"))
        return urlopen(url).read()
    except OSError as error:
        return f"failed: {error}"
`;

describe('functions in Python', needsPython, () => {
  let fnlet: FnletProcess;
  let api: TestApi;
  before(async () => {
    fnlet = await startFnlet();
    api = await createApi(fnlet.endpoints.kubeconfig);
  });
  after(async () => {
    await api.close();
    await fnlet[Symbol.asyncDispose]();
  });

  async function apply(name: string, inline: string): Promise<void> {
    await api.applyFunction(name, { runtime: pythonName, source: { inline } });
  }

  async function ask(name: string, query: Readonly<Record<string, string>>): Promise<string> {
    const asked = `${fnlet.endpoints.gateway}/default/${name}?${new URLSearchParams(query)}`;
    return (await fetch(asked)).text();
  }

  test('one answers, is edited, and says what is wrong with it', async () => {
    await apply('snake', 'def handler(request): return "Hello " + request.query.name\n');
    await api.waitReady('snake');
    assert.equal(await ask('snake', { name: 'you' }), 'Hello you');
    const edited =
      'from bottle import request\ndef main(event, context): return request.query.name';
    await apply('snake', edited);
    await api.waitReady('snake');
    assert.equal(await ask('snake', { name: 'you' }), 'you');
    await apply('snake', 'def handler(request):\n    return (\n');
    const { message } = await api.waitNotReady('snake');
    assert.match(message, /handler\.py.*SyntaxError: '\(' was never closed/);
    assert.equal(await ask('snake', { name: 'you' }), 'you');
  });

  test('one calls another by each of its names', async () => {
    await apply(
      'other',
      'def handler(request): return f"{request.headers[\'host\']} {request.path}"',
    );
    await apply('caller', caller);
    await Promise.all([api.waitReady('other'), api.waitReady('caller')]);
    const whole = 'other.default.svc.cluster.local';
    for (const host of [whole, `${whole}:8080`, 'other.default.svc', 'other.default']) {
      assert.equal(await ask('caller', { url: `http://${host}/a/b` }), `${host} /a/b`);
    }
    assert.equal(await ask('caller', { url: whole, streams: 'yes' }), `${whole} /`);
    if (process.platform !== 'linux') return;
    assert.equal(await ask('caller', { url: 'http://other/short' }), 'other /short');
    assert.equal(await ask('caller', { url: 'other', streams: 'yes' }), 'other /');
  });

  test("names that are no Services are the system's", async () => {
    const unknown = await ask('caller', { url: 'http://no-such-name-here/' });
    assert.match(unknown, /^failed: .*(Name or service not known|failure in name resolution)/);
    const { port } = new URL(fnlet.endpoints.gateway);
    const local = await ask('caller', { url: `http://localhost:${port}/default/other/y` });
    assert.match(local, / \/y$/);
  });
});
