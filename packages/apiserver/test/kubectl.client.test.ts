import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { silentLogger, systemClock, systemRandom } from '@fnlet/base';
import { formatKubeconfig } from '@fnlet/client';
import { type KubeObject, statusError } from '@fnlet/machinery';
import { openMemoryStore } from '@fnlet/store';
import {
  adminUser,
  createApiServer,
  type LogOptions,
  listenHttps,
  loadCertificates,
  type PodRuntime,
} from '../src/index.ts';

const program = process.env.KUBECTL ?? 'kubectl';

interface Finished {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function run(args: readonly string[], stdin = ''): Promise<Finished> {
  return new Promise((resolve) => {
    const child = execFile(program, [...args], { timeout: 30_000 }, (error, out, err) => {
      const code = typeof error?.code === 'number' ? error.code : error === null ? 0 : 127;
      resolve({ code, out, err });
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(stdin);
  });
}

/** A runtime whose containers have said three lines, and one more for those who follow. */
const runtime: PodRuntime = {
  async *logs(_pod: KubeObject, { tailLines, follow }: LogOptions) {
    const lines = ['one', 'two', 'three'];
    for (const line of lines.slice(tailLines === undefined ? 0 : -tailLines)) {
      yield Buffer.from(`${line}\n`);
    }
    if (follow) yield Buffer.from('four\n');
  },
  exec: () => Promise.reject(statusError('NotImplemented', 'nothing can be run here')),
  attach: () => Promise.reject(statusError('NotImplemented', 'nothing runs here')),
  portForward: () => Promise.reject(statusError('NotImplemented', 'nothing listens here')),
};

const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget, shortNames: [wd], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            description: What the widget is.
            properties:
              size: {type: integer, default: 3, maximum: 10, description: How large it is.}
              replicas: {type: integer}
          status:
            type: object
            properties:
              replicas: {type: integer}
              conditions:
                type: array
                items: {type: object, properties: {type: {type: string}, status: {type: string}}}
`;

const widget = (spec: string): string =>
  `apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: ${spec}\n`;

const configMap = (value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: "${value}"}\n`;

const pod = `
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
  - {name: c, image: "img:1", env: [{name: A, value: "1"}, {name: B, value: "2"}]}
`;

const isThere = (await run(['version', '--client'])).code === 0;

describe('kubectl', { skip: isThere ? false : `${program} is not installed` }, () => {
  const closers: (() => Promise<unknown>)[] = [];
  let base: readonly string[] = [];

  before(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'fnlet-kubectl-'));
    const clock = systemClock;
    const tls = await loadCertificates({ directory, clock });
    const store = openMemoryStore();
    const token = systemRandom.uuid();
    const server = createApiServer({
      store,
      clock,
      random: systemRandom,
      logger: silentLogger,
      tokens: [{ token, user: adminUser }],
      caPem: tls.caPem,
      podRuntime: runtime,
    });
    await server.start();
    const front = await listenHttps(server, { host: '127.0.0.1', port: 0, tls, clock });
    const kubeconfig = join(directory, 'kubeconfig');
    const text = formatKubeconfig({ name: 'test', server: front.url, caPem: tls.caPem, token });
    await writeFile(kubeconfig, text, { mode: 0o600 });
    base = [`--kubeconfig=${kubeconfig}`, `--cache-dir=${join(directory, 'cache')}`];
    closers.push(
      () => front.close(),
      () => server.close(),
      () => store.close(),
      () => rm(directory, { recursive: true }),
    );
  });

  after(async () => {
    for (const close of closers) await close();
  });

  const kubectl = (args: string, stdin?: string): Promise<Finished> =>
    run([...base, ...args.split(' ')], stdin);

  const expect = async (args: string, pattern: RegExp, stdin?: string): Promise<Finished> => {
    const result = await kubectl(args, stdin);
    assert.match(result.out + result.err, pattern, `kubectl ${args}`);
    assert.equal(result.code, 0, `kubectl ${args}: ${result.err}`);
    return result;
  };

  const follow = (args: string): ChildProcess =>
    spawn(program, [...base, ...args.split(' ')], { stdio: ['ignore', 'pipe', 'inherit'] });

  it('reads discovery, versions and health', async () => {
    await expect('version', /Server Version: v1\./);
    await expect('api-resources', /configmaps +cm +v1 +true +ConfigMap/);
    await expect('api-versions', /apiextensions\.k8s\.io\/v1/);
    await expect('get --raw /readyz', /^ok/);
    await expect('get ns', /default +Active/);
    await expect('get sa -n default', /default/);
  });

  it('applies, changes, labels and deletes builtin objects', async () => {
    await expect('apply -f -', /configmap\/a created/, configMap('1'));
    await expect('apply -f -', /configmap\/a unchanged/, configMap('1'));
    const diff = await kubectl('diff -f -', configMap('2'));
    assert.equal(diff.code, 1, diff.err);
    assert.match(diff.out, /^\+ +k: "2"$/m);
    await expect('apply -f -', /configmap\/a configured/, configMap('2'));
    await expect('get cm a -o jsonpath={.data.k}', /^2$/);
    await expect('apply --server-side -f -', /serverside-applied/, configMap('3'));
    await expect('apply --dry-run=server -f -', /configured \(server dry run\)/, configMap('4'));
    await expect('get cm a -o jsonpath={.data.k}', /^3$/);
    await expect('label cm a x=y', /labeled/);
    await expect('annotate cm a x=y', /annotated/);
    await expect('get cm -l x=y -o name', /^configmap\/a$/m);
    await expect('describe cm a', /Labels: +x=y/);
    await expect('delete cm a', /deleted/);
    const gone = await kubectl('get cm a');
    assert.equal(gone.code, 1);
    assert.match(gone.err, /configmaps "a" not found/);
  });

  it('merges the lists of builtin objects by their keys', async () => {
    await expect('apply -f -', /pod\/p created/, pod);
    await expect('apply -f -', /pod\/p configured/, pod.replace('img:1', 'img:2'));
    const patch = '{"spec":{"containers":[{"name":"c","image":"img:3"}]}}';
    await expect(`patch pod p -p ${patch}`, /patched/);
    await expect('get pod p -o jsonpath={.spec.containers[0].env[1].value}', /^2$/);
    await expect('get pods -o wide', /NAME +READY +STATUS +RESTARTS +AGE +IP +NODE/);
    await expect('explain pod.spec.containers.image', /image <string>/);
  });

  // kubectl 1.32 and newer send all of these in protobuf, and do not try anything else.
  it('creates builtin objects from flags', async () => {
    await expect('create ns flags', /namespace\/flags created/);
    await expect('create configmap m --from-literal=k=v -n flags', /configmap\/m created/);
    await expect('create secret generic s --from-literal=k=v -n flags', /secret\/s created/);
    await expect('create deployment d --image=img:1 --replicas=2 -n flags', /d created/);
    await expect('create job j --image=img:1 -n flags -- echo hi', /job.batch\/j created/);
    await expect('create role r --verb=get --resource=pods -n flags', /r created/);
    await expect('create rolebinding rb --role=r --user=bob -n flags', /rb created/);
    await expect('create quota q --hard=pods=2 -n flags', /resourcequota\/q created/);
    await expect('create pdb p --selector=a=b --min-available=1 -n flags', /p created/);
    await expect('create ingress i --rule=a.com/x=svc:80 -n flags', /i created/);
    await expect('create serviceaccount sa -n flags', /serviceaccount\/sa created/);
    await expect('create token sa -n flags', /^[\w-]+\.[\w-]+\.[\w-]+$/m);
    await expect('autoscale deployment d --max=3 -n flags', /d autoscaled/);
    await expect('get deployment d -n flags -o jsonpath={.spec.replicas}', /^2$/);
    await expect('scale deployment d --replicas=0 -n flags', /scaled/);
    await expect('get deployment d -n flags -o jsonpath={.spec.replicas}', /^0$/);
    await expect('auth can-i get pods -n flags', /^yes$/m);
    await expect('delete deployment d -n flags', /deleted/);
  });

  it('explains and checks builtin objects by OpenAPI', async () => {
    await expect('explain deployment.spec.strategy.rollingUpdate', /maxSurge[ \t]+<\S+>/);
    await expect('explain cronjob --recursive', /concurrencyPolicy/);
    const wrong = configMap('1').replace('\ndata:', '\ndota:');
    const refused = await kubectl('create --validate=true -f -', wrong);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /unknown field "dota"/);
  });

  it('shows logs', async () => {
    await expect('logs p', /^one\ntwo\nthree\n$/);
    await expect('logs p --tail=1', /^three\n$/);
    await expect('logs p -f', /three\nfour\n$/);
    const missing = await kubectl('logs p -c nope');
    assert.match(missing.err, /container nope is not valid for pod p/);
  });

  it('follows changes with get -w', async () => {
    const found = follow('get cm -w -o name');
    const seen = new Promise<void>((resolve) => {
      found.stdout?.on('data', (chunk: Buffer) => {
        if (chunk.toString().includes('configmap/later')) resolve();
      });
    });
    const text = configMap('1').replace('name: a', 'name: later');
    await expect('create -f -', /configmap\/later created/, text);
    await seen;
    found.kill();
  });

  it('installs a CRD and serves its kind', async () => {
    await expect('apply -f -', /created/, crd);
    await expect('wait --for=condition=Established crd/widgets.example.com --timeout=5s', /met/);
    await expect('apply -f -', /widget.example.com\/w created/, widget('{replicas: 1}'));
    await expect('apply -f -', /configured/, widget('{replicas: 2}'));
    await expect('get wd', /NAME +SIZE\nw +3/);
    await expect('get all', /widget.example.com\/w/);
    await expect('explain widget.spec.size', /How large it is/);
    await expect('scale widget/w --replicas=5', /scaled/);
    await expect('get widget w -o jsonpath={.spec.replicas}', /^5$/);
    const forced = 'apply --server-side --force-conflicts --field-manager=me -f -';
    await expect(forced, /serverside-applied/, widget('{size: 4}'));
    const status = '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}';
    await expect(`patch widget w --subresource=status --type=merge -p ${status}`, /patched/);
    await expect('wait --for=condition=Ready widget/w --timeout=5s', /met/);
    await expect('describe widget w', /Size: +4/);
  });

  it('refuses what a schema refuses, in words that kubectl shows', async () => {
    const large = await kubectl('apply -f -', widget('{size: 11}'));
    assert.equal(large.code, 1);
    assert.match(large.err, /spec.size in body should be less than or equal to 10/);
    const unknown = await kubectl('apply -f -', widget('{sise: 1}'));
    assert.match(unknown.err, /unknown field "spec.sise"/);
  });

  it('replaces what get -o yaml gave', async () => {
    const { out } = await expect('get widget w -o yaml', /kind: Widget/);
    await expect('replace -f -', /replaced/, out.replace('size: 4', 'size: 5'));
    await expect('get widget w -o jsonpath={.spec.size}', /^5$/);
    const stale = await kubectl('replace -f -', out.replace('size: 4', 'size: 6'));
    assert.match(stale.err, /the object has been modified/);
    const patch = '[{"op":"replace","path":"/spec/size","value":7}]';
    await expect(`patch widget w --type=json -p ${patch}`, /patched/);
  });

  it('empties namespaces and kinds before they go', async () => {
    const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: room}\n';
    await expect('apply -f -', /created/, namespace);
    await expect('apply -n room -f -', /created/, configMap('1'));
    await expect('delete ns room --timeout=10s', /deleted/);
    await expect('delete crd widgets.example.com --timeout=10s', /deleted/);
    const gone = await kubectl('get widgets');
    assert.equal(gone.code, 1);
  });

  it('is told plainly what the runtime of Pods cannot do', async () => {
    const exec = await kubectl('exec p -- true');
    assert.equal(exec.code, 1);
    assert.match(exec.err, /nothing can be run here/);
  });
});
