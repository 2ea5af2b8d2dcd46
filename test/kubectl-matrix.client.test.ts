/**
 * What people type, with every kubectl that is here: each command ends with the exit code that a
 * cluster gives, and shows what a cluster shows.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Finished, type FnletProcess, runProgram, startFnlet } from './fnlet-process.ts';
import { findKubectlPrograms, type KubectlProgram } from './kubectl-programs.ts';

interface Command {
  /** As typed, split at blanks; `$PORT` is a free port, `$NS` the namespace. */
  readonly type: string;
  /** What it reads; `$PORT` is a free port. */
  readonly input?: string;
  /** Default 0. */
  readonly code?: number;
  /** What stdout must show; of stderr when it fails. */
  readonly shows?: RegExp;
  /** The first minor version that knows the command. Default: all. */
  readonly since?: number;
}

// JSON is YAML; old releases of kubectl take what begins with a brace for JSON.
const configMap = (data: Readonly<Record<string, string>>): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'conf' }, data });

const widgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.matrix.example.com}
spec:
  group: matrix.example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget, shortNames: [wdg]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}
    additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            description: What the widget is.
            properties:
              size: {type: integer, maximum: 10, description: How large it is.}
              replicas: {type: integer}
          status: {type: object, properties: {replicas: {type: integer}}}
`;

const widget = (size: number): string =>
  JSON.stringify({
    apiVersion: 'matrix.example.com/v1',
    kind: 'Widget',
    metadata: { name: 'w' },
    spec: { size, replicas: 1 },
  });

// Made by openssl req, for CN=me; nothing here looks at how old it is.
const certificateRequest = `-----BEGIN CERTIFICATE REQUEST-----
MIHHMG8CAQAwDTELMAkGA1UEAwwCbWUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATRYKs2X/tNIExd9/lA9JGcFem+
IXQF3t5QmM0OiAPgKOO3qhaAQ6RzeEP8BzfDjyvFgHEezZg2myLDLfsK2AtYoAAwCgYIKoZIzj0EAwIDSAAwRQIhAM4R
J+VOgftkEz4d/Uh2ZPcyk93SnMJzyzUj5+KF0WQiAiBSOjGGF+9HtMDYtF+ChIffj//LvKKkYK3XsedFsCmbxA==
-----END CERTIFICATE REQUEST-----
`;

const signingRequest = JSON.stringify({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name: 'me' },
  spec: {
    request: Buffer.from(certificateRequest).toString('base64'),
    signerName: 'example.com/signer',
    usages: ['client auth'],
    expirationSeconds: 7200,
  },
});

const server = `require("http").createServer((q, s) => s.end("pod " + q.url)).listen(+process.env.PORT);
console.log("serving", process.env.PORT); console.error("second line");`;

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: node:24-slim
        command: [node, -e, ${JSON.stringify(server)}]
        env: [{name: PORT, value: "$PORT"}]
        ports: [{containerPort: $PORT}]
        readinessProbe: {tcpSocket: {port: $PORT}, periodSeconds: 1}
`;

/** The commands about the API itself, then about objects. */
const objects: readonly Command[] = [
  { type: 'version', shows: /Server Version/ },
  { type: 'cluster-info', shows: /https:\/\/127\.0\.0\.1/ },
  { type: 'api-versions', shows: /^apps\/v1$/m },
  { type: 'api-resources', shows: /configmaps\s+cm\s/ },
  { type: 'api-resources --api-group=apps -o name', shows: /^deployments\.apps$/m },
  { type: 'get --raw /healthz', shows: /^ok/ },
  { type: 'get --raw /livez', shows: /^ok/ },
  { type: 'get --raw /readyz', shows: /^ok/ },
  { type: 'get --raw /metrics', shows: /^# TYPE /m },
  { type: 'create configmap flags --from-literal=a=1', shows: /configmap\/flags created/ },
  { type: 'create configmap flags', code: 1, shows: /already exists/ },
  { type: 'create secret generic hidden --from-literal=p=q', shows: /secret\/hidden created/ },
  { type: 'create serviceaccount robot', shows: /serviceaccount\/robot created/ },
  { type: 'create quota q --hard=pods=10', shows: /resourcequota\/q created/ },
  { type: 'create role r --verb=get --resource=pods', shows: /role.*\/r created/ },
  { type: 'create job once --image=busybox', shows: /job\.batch\/once created/ },
  { type: 'apply -f -', input: configMap({ k: '1' }), shows: /configmap\/conf created/ },
  { type: 'apply -f -', input: configMap({ k: '1' }), shows: /configmap\/conf unchanged/ },
  { type: 'diff -f -', input: configMap({ k: '1' }) },
  { type: 'diff -f -', input: configMap({ k: '2' }), code: 1, shows: /\+\s+k: "2"/ },
  { type: 'apply --dry-run=server -f -', input: configMap({ k: '2' }), shows: /server dry run/ },
  { type: 'apply -f -', input: configMap({ k: '2' }), shows: /configmap\/conf configured/ },
  { type: 'apply --server-side -f -', input: configMap({ s: '3' }), shows: /serverside-applied/ },
  { type: 'replace -f -', input: configMap({ k: '4' }), shows: /configmap\/conf replaced/ },
  { type: 'get cm', shows: /^NAME\s+DATA\s+AGE\nconf\s+1\s/m },
  { type: 'get cm conf -o jsonpath={.data.k}', shows: /^4$/ },
  { type: 'get cm conf -o yaml', shows: /^ {2}k: "4"$/m },
  { type: 'get cm -o name', shows: /^configmap\/conf$/m },
  { type: 'get cm -o custom-columns=N:.metadata.name', shows: /^N\nconf$/m },
  { type: 'get cm --sort-by=.metadata.name -A', shows: /^NAMESPACE\s+NAME/ },
  { type: 'get cm conf -o wide --show-labels', shows: /LABELS/ },
  { type: 'describe cm conf', shows: /Data\n====/ },
  { type: 'label cm conf tier=low', shows: /configmap\/conf labeled/ },
  { type: 'get cm -l tier=low --no-headers', shows: /^conf\s/ },
  { type: 'annotate cm conf note=here', shows: /configmap\/conf annotated/ },
  { type: 'patch cm conf -p {"data":{"m":"1"}}', shows: /configmap\/conf patched/ },
  {
    type: 'patch cm conf --type=json -p [{"op":"remove","path":"/data/m"}]',
    shows: /configmap\/conf patched/,
  },
  { type: 'patch cm conf --type=merge -p {"data":{"n":"1"}}', shows: /configmap\/conf patched/ },
  { type: 'get cm nowhere', code: 1, shows: /configmaps "nowhere" not found/ },
  { type: 'get nothing', code: 1, shows: /doesn't have a resource type "nothing"/ },
  { type: 'create -f -', input: 'apiVersion: v1\nkind: ConfigMap', code: 1, shows: /name/ },
  {
    type: 'create -f - --validate=true',
    input: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndato: {}',
    code: 1,
    shows: /unknown field/,
  },
  { type: 'explain cm.data', shows: /KIND:\s+ConfigMap/ },
  { type: 'explain deployment.spec.strategy.rollingUpdate', shows: /maxSurge/ },
  { type: 'explain pod.spec --recursive', shows: /containerPort/ },
];

const customResources: readonly Command[] = [
  {
    type: 'apply -f -',
    input: widgets,
    shows: /widgets\.matrix\.example\.com (created|unchanged)/,
  },
  {
    type: 'wait --for=condition=Established crd/widgets.matrix.example.com --timeout=20s',
    shows: /condition met/,
  },
  { type: 'apply -f -', input: widget(3), shows: /widget\.matrix\.example\.com\/w created/ },
  { type: 'apply -f -', input: widget(4), shows: /configured/ },
  { type: 'apply -f -', input: widget(11), code: 1, shows: /less than or equal to 10/ },
  { type: 'get wdg', shows: /^NAME\s+SIZE\nw\s+4/ },
  { type: 'explain widget.spec', shows: /How large it is/ },
  { type: 'scale widget w --replicas=2', shows: /scaled/ },
  { type: 'wait --for=jsonpath={.spec.size}=4 widget/w --timeout=10s', since: 23 },
  {
    type: 'patch widget w --type=merge --subresource=status -p {"status":{"replicas":2}}',
    since: 24,
  },
  { type: 'delete widget w', shows: /"w" deleted/ },
];

const access: readonly Command[] = [
  { type: 'auth can-i create pods', shows: /^yes/ },
  { type: 'auth can-i create pods --as=nobody', code: 1, shows: /no/ },
  { type: 'auth can-i --list', shows: /\*\.\*/ },
  { type: 'get cm --as=nobody', code: 1, shows: /User "nobody" cannot list resource "configmaps"/ },
  { type: 'create token robot', shows: /^[\w-]+\.[\w-]+\.[\w-]+$/m, since: 24 },
  { type: 'auth whoami', shows: /kubernetes-admin/, since: 28 },
  { type: 'apply -f -', input: signingRequest, shows: /certificatesigningrequest\S+\/me created/ },
  {
    type: 'get csr me',
    shows: /SIGNERNAME\s+REQUESTOR\s+REQUESTEDDURATION\s+CONDITION\nme .*-admin\s+120m\s+Pending/,
  },
  { type: 'certificate approve me', shows: /\/me approved/ },
  { type: 'get csr me', shows: /120m\s+Approved\s/ },
  { type: 'certificate deny me', code: 1, shows: /already Approved|mutually exclusive/ },
  { type: 'delete csr me', shows: /"me" deleted/ },
];

const workloads: readonly Command[] = [
  { type: 'apply -f -', input: deployment, shows: /deployment\.apps\/web created/ },
  { type: 'rollout status deploy/web --timeout=60s', shows: /successfully rolled out/ },
  { type: 'wait --for=condition=Available deploy/web --timeout=20s', shows: /condition met/ },
  { type: 'get deploy', shows: /^NAME\s+READY\s+UP-TO-DATE\s+AVAILABLE\s+AGE\nweb\s+1\/1\s+1\s+1/ },
  { type: 'get pods -l app=web', shows: /web-\S+\s+1\/1\s+Running\s+0/ },
  { type: 'describe deploy web', shows: /NewReplicaSet:\s+web-/ },
  { type: 'logs deploy/web', shows: /^serving \d+$/m },
  { type: 'logs deploy/web --tail=1', shows: /^second line$/m },
  { type: 'logs -l app=web --timestamps --since=1h', shows: /^\d{4}-\d\d-\d\dT\S+ serving/m },
  { type: 'exec deploy/web -- node -p 6*7', shows: /^42$/m },
  {
    type: 'exec -i deploy/web -- node -e process.stdin.pipe(process.stdout)',
    input: 'echo\n',
    shows: /^echo$/m,
  },
  { type: 'exec deploy/web -- node -e process.exit(3)', code: 3 },
  { type: 'get svc,endpoints kubernetes -n default', shows: /10\.96\.0\.1\s+<none>\s+443\/TCP/ },
  { type: 'top pods', shows: /^NAME\s+CPU\(cores\)\s+MEMORY\(bytes\)\s*\nweb-/ },
  { type: 'top nodes', shows: /^NAME\s+CPU/ },
  { type: 'expose deploy web --port=80 --target-port=$PORT', shows: /service\/web exposed/ },
  { type: 'get svc web', shows: /ClusterIP/ },
  {
    type: 'get --raw /api/v1/namespaces/$NS/services/web/proxy/path?q=1',
    shows: /pod \/path\?q=1/,
  },
  { type: 'autoscale deploy web --max=3', shows: /web autoscaled/ },
  { type: 'get hpa web', shows: /Deployment\/web/ },
  { type: 'delete hpa web', shows: /deleted/ },
  { type: 'scale deploy web --replicas=0', shows: /deployment\.apps\/web scaled/ },
  // kubectl 1.20 fails when nothing is left to wait for.
  { type: 'wait --for=delete pods -l app=web --timeout=60s', since: 21 },
  { type: 'scale deploy web --replicas=1', shows: /deployment\.apps\/web scaled/ },
  { type: 'rollout status deploy/web --timeout=60s', shows: /successfully rolled out/ },
  { type: 'rollout history deploy/web', shows: /REVISION\s+CHANGE-CAUSE\n1\s/ },
  { type: 'set env deploy/web EXTRA=1', shows: /deployment\.apps\/web env updated/ },
  { type: 'rollout history deploy/web', shows: /\n2\s/ },
  { type: 'rollout undo deploy/web', shows: /rolled back/ },
  { type: 'rollout pause deploy/web', shows: /paused/ },
  { type: 'rollout resume deploy/web', shows: /resumed/ },
  { type: 'events', shows: /LAST SEEN\s+TYPE\s+REASON/, since: 26 },
  { type: 'get events', shows: /LAST SEEN\s+TYPE\s+REASON/ },
  { type: 'delete deploy web --timeout=60s', shows: /"web" deleted/ },
  { type: 'get deploy', shows: /No resources found/ },
];

const setOf = (kind: string, name: string): string => `
apiVersion: apps/v1
kind: ${kind}
metadata: {name: ${name}}
spec:
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      terminationGracePeriodSeconds: 1
      containers:
      - name: main
        image: node:24-slim
        command: [node, -e, 'setInterval(() => {}, 1000)']
`;

/** Older releases put containers into a Pod in a way that Kubernetes has removed. */
const debugging: readonly Command[] = [
  { type: 'debug counted-0 -i -c look --image=node -- node -p 6*7', shows: /^42$/m, since: 23 },
  { type: 'logs counted-0 -c look', shows: /^42$/m, since: 23 },
  { type: 'describe pod counted-0', shows: /Ephemeral Containers:\s+look:/, since: 23 },
];

/** What a history of templates is good for, of both kinds that have one in ControllerRevisions. */
const rollouts: readonly Command[] = ['StatefulSet', 'DaemonSet'].flatMap((kind): Command[] => {
  const name = kind === 'StatefulSet' ? 'counted' : 'everywhere';
  const set = `${kind.toLowerCase()}/${name}`;
  const done = new RegExp(kind === 'StatefulSet' ? 'complete' : 'successfully rolled out');
  return [
    { type: 'apply -f -', input: setOf(kind, name), shows: /created/ },
    { type: `rollout status ${set} --timeout=60s`, shows: done },
    { type: `rollout history ${set}`, shows: /REVISION\s+CHANGE-CAUSE\n1\s/ },
    { type: `set env ${set} EXTRA=1`, shows: /env updated/ },
    { type: `rollout status ${set} --timeout=60s`, shows: done },
    { type: `rollout history ${set}`, shows: /\n1\s.*\n2\s/ },
    { type: `rollout history ${set} --revision=2`, shows: /EXTRA:\s+1/ },
    { type: `rollout undo ${set}`, shows: /rolled back/ },
    { type: `rollout status ${set} --timeout=60s`, shows: done },
    { type: `rollout history ${set}`, shows: /\n2\s.*\n3\s/ },
    ...(kind === 'StatefulSet' ? debugging : []),
    { type: `delete ${set} --timeout=60s`, shows: /deleted/ },
  ];
});

/** Where a command runs. */
interface Place {
  readonly env: Readonly<Record<string, string>>;
  readonly namespace: string;
  readonly port: number;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  assert.ok(typeof address === 'object' && address !== null);
  return address.port;
}

async function type(
  program: KubectlProgram,
  { type: line, input = '' }: Command,
  { env, namespace, port }: Place,
): Promise<Finished> {
  const words = line.replaceAll('$PORT', String(port)).replaceAll('$NS', namespace).split(' ');
  const args = ['-n', namespace, ...words];
  return runProgram(program.path, args, { input: input.replaceAll('$PORT', String(port)), env });
}

const programs = findKubectlPrograms();

describe('kubectl', { skip: programs.length === 0 && 'no kubectl on this machine' }, () => {
  let fnlet: FnletProcess;
  let scratch: string;
  before(async () => {
    fnlet = await startFnlet();
    scratch = await mkdtemp(join(tmpdir(), 'fnlet-kubectl-'));
  });
  after(async () => {
    await fnlet[Symbol.asyncDispose]();
    await rm(scratch, { recursive: true, force: true });
  });

  for (const [i, program] of programs.entries()) {
    describe(`1.${program.minor}`, () => {
      const namespace = `matrix-${program.minor}`;
      const environment = (): Readonly<Record<string, string>> => ({
        PATH: process.env.PATH ?? '',
        HOME: join(scratch, namespace),
        KUBECONFIG: fnlet.endpoints.kubeconfig,
      });
      let port = 0;
      before(async () => {
        port = await freePort();
        const args = ['create', 'namespace', namespace];
        const { code, stderr } = await runProgram(program.path, args, { env: environment() });
        assert.equal(code, 0, stderr);
      });
      const commands = [...objects, ...customResources, ...access, ...workloads, ...rollouts];
      for (const [n, command] of commands.entries()) {
        const { code = 0, shows, since = 0 } = command;
        if (program.minor < since) continue;
        it(`${n}. ${command.type}`, async () => {
          const env = environment();
          const finished = await type(program, command, { env, namespace, port });
          const told = `${finished.stdout}\n${finished.stderr}`;
          assert.equal(finished.code, code, told);
          if (shows !== undefined) assert.match(`${finished.stdout}${finished.stderr}`, shows);
        });
      }

      it('copies files into a container and out of it', async () => {
        const env = environment();
        const pod = JSON.stringify({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'box' },
          spec: {
            containers: [
              {
                name: 'box',
                image: 'node:24',
                command: ['node', '-e', 'setInterval(() => {}, 1e6)'],
              },
            ],
          },
        });
        const run = async (...args: string[]): Promise<string> => {
          const done = await runProgram(program.path, ['-n', namespace, ...args], {
            env,
            input: pod,
          });
          assert.equal(done.code, 0, `${args.join(' ')}: ${done.stderr}`);
          return done.stdout;
        };
        await run('apply', '-f', '-');
        await run('wait', '--for=condition=Ready', 'pod/box', '--timeout=60s');
        const [from, to] = [join(scratch, `from-${i}`), join(scratch, `to-${i}`)];
        await writeFile(from, 'x'.repeat(100_000));
        await run('cp', from, 'box:copied');
        await run('cp', 'box:copied', to);
        assert.equal(await readFile(to, 'utf8'), 'x'.repeat(100_000));
        await run('delete', 'pod', 'box', '--timeout=60s');
      });
    });
  }
});
