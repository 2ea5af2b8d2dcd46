/** The JavaScript client of the Kubernetes project, its informer included, against the embedded API. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type FnletProcess, runProgram, startFnlet } from './fnlet-process.ts';

const clients = join(import.meta.dirname, '..', 'node_modules', '.cache', 'clients');
const entry = join(clients, 'client-node/node_modules/@kubernetes/client-node/dist/index.js');
const skip = !existsSync(entry) && '@kubernetes/client-node is not here: run .ci/clients';

// A program of its own: this client holds 85 MB, and what it leaves open must not hold the test.
const program = `
import * as k8s from '${pathToFileURL(entry)}';
const config = new k8s.KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(k8s.CoreV1Api);
const namespace = 'default';
const list = () => core.listNamespacedConfigMap({ namespace, labelSelector: 'of=informer' });
const path = '/api/v1/namespaces/default/configmaps';
const informer = k8s.makeInformer(config, path, list, 'of=informer');
const seen = [];
let told = () => {};
for (const verb of ['add', 'update', 'delete']) {
  informer.on(verb, ({ metadata, data }) => { seen.push(verb + ' ' + metadata.name + ' ' + data.n); told(); });
}
informer.on('error', (error) => { console.error(String(error)); process.exit(1); });
const until = async (text) => {
  while (!seen.includes(text)) await new Promise((resolve) => { told = resolve; });
};
const body = (name, n) => ({ metadata: { name, labels: { of: 'informer' } }, data: { n } });
await core.createNamespacedConfigMap({ namespace, body: body('first', '1') });
await informer.start();
await until('add first 1');
await core.createNamespacedConfigMap({ namespace, body: body('second', '1') });
await until('add second 1');
await core.replaceNamespacedConfigMap({ namespace, name: 'second', body: body('second', '2') });
await until('update second 2');
await core.deleteNamespacedConfigMap({ namespace, name: 'first' });
await until('delete first 1');
console.log(JSON.stringify(informer.list().map(({ metadata }) => metadata.name)));
await informer.stop();
process.exit(0);
`;

describe('@kubernetes/client-node', { skip }, () => {
  let fnlet: FnletProcess;
  before(async () => {
    fnlet = await startFnlet();
  });
  after(() => fnlet[Symbol.asyncDispose]());

  it('follows a kind with its informer', async () => {
    const { code, stdout, stderr } = await runProgram(
      process.execPath,
      ['--input-type=module', '--eval', program],
      { env: { KUBECONFIG: fnlet.endpoints.kubeconfig } },
    );
    assert.equal(code, 0, stderr);
    assert.deepEqual(JSON.parse(stdout), ['second']);
  });
});
