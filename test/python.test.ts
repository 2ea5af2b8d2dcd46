/** Functions in Python, from the manifest to the answer. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import { needsPython, pythonName } from '../runtimes/python/test/python.ts';
import { createApi } from './api-access.ts';
import { makeDataDirectory, startFnlet } from './fnlet-process.ts';

test(
  'a function in Python answers, is edited, and says what is wrong with it',
  needsPython,
  async () => {
    const dataDirectory = await makeDataDirectory();
    const fnlet = await startFnlet({ dataDirectory });
    const api = await createApi(fnlet.endpoints.kubeconfig);
    try {
      const apply = (inline: string): Promise<void> =>
        api.applyFunction('snake', { runtime: pythonName, source: { inline } });
      const ask = async (): Promise<string> =>
        (await fetch(`${fnlet.endpoints.gateway}/default/snake?name=you`)).text();
      await apply('def handler(request): return "Hello " + request.query.name\n');
      await api.waitReady('snake');
      assert.equal(await ask(), 'Hello you');
      await apply(
        'from bottle import request\ndef main(event, context): return request.query.name\n',
      );
      await api.waitReady('snake');
      assert.equal(await ask(), 'you');
      await apply('def handler(request):\n    return (\n');
      const { message } = await api.waitNotReady('snake');
      assert.match(message, /handler\.py.*SyntaxError: '\(' was never closed/);
      assert.equal(await ask(), 'you');
    } finally {
      await api.close();
      await fnlet.stop();
      await rm(dataDirectory, { recursive: true, force: true });
    }
  },
);
