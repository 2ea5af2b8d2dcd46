import type { KubeObject } from '@fnlet/machinery';
import { clusterLimits } from './limits.ts';
import { ownerSources, type PoolTerms, places, stockImage } from './plan-runner-pod.ts';

/** Marks Pods that install packages. */
export const buildLabel = 'fnlet.dev/build';

/** Where such a Pod finds what it is to do, and brings what came of it, below its owner's origin. */
export const buildPath = '/build';

/** The header with which a Pod says how the package manager ended. */
export const exitCodeHeader = 'x-exit-code';

const work = '/fnlet/build';
const node = 'nodejs24';

// What brings files there and back needs nothing that a stock image of Node does not have.
const ask = `
const fs = require('node:fs');
const { spawn } = require('node:child_process');
const { request } = require('node:https');
const work = '${work}';
const ask = (method, headers, body) => new Promise((resolve, reject) => {
  const ca = fs.readFileSync('${places.owner}/ca.crt');
  const token = fs.readFileSync('${places.owner}/token', 'utf8').trim();
  const url = new URL('${buildPath}', process.env.OWNER);
  const asking = request(url, { method, ca, headers: { ...headers, authorization: 'Bearer ' + token } });
  asking.once('error', reject);
  asking.once('response', (answer) => {
    if (answer.statusCode === 200) resolve(answer);
    else reject(new Error('the controller answered ' + answer.statusCode));
  });
  if (body) body.pipe(asking); else asking.end();
});
const end = (child) => new Promise((resolve, reject) => child.once('error', reject).once('close', (code) =>
  code === 0 ? resolve() : reject(new Error('tar ended with ' + code))));
`;

const fetches = `${ask}
(async () => {
  fs.mkdirSync(work + '/files');
  fs.mkdirSync(work + '/home');
  const tar = spawn('tar', ['-xzf', '-', '-C', work + '/files'], { stdio: ['pipe', 'inherit', 'inherit'] });
  (await ask('GET', {})).pipe(tar.stdin);
  await end(tar);
})();`;

const brings = `${ask}
(async () => {
  const code = fs.readFileSync(work + '/code', 'utf8').trim();
  const size = fs.statSync(work + '/output').size;
  const start = Math.max(0, size - ${clusterLimits.buildOutputBytesMax});
  const said = fs.createReadStream(work + '/output', { start });
  (await ask('PUT', { '${exitCodeHeader}': code }, said)).resume();
  if (code !== '0') return;
  const tar = spawn('tar', ['-czf', '-', '-C', work + '/files', '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const over = end(tar);
  (await ask('POST', {}, tar.stdout)).resume();
  await over;
})();`;

// It ends well whatever came of it: how it ended is told with what it said.
const runs = `cd ${work}/files; "$@" >../output 2>&1; echo $? >../code`;

/** What a Pod installs. */
export interface BuildOrder {
  readonly name: string;
  readonly namespace: string;
  /** Whose packages they are. */
  readonly runtime: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * A Pod that fetches the files of a package manager, runs that on the stock image of the runtime,
 * and brings back what came of it. It has no rights, no privileges and no token of the API, for
 * packages may run programs in it; and it ends by itself in the end.
 */
export function planBuildPod(
  order: BuildOrder,
  terms: PoolTerms,
): KubeObject & { readonly spec: object } {
  const { name, namespace, runtime, command } = order;
  const labels = { 'app.kubernetes.io/managed-by': 'fnlet', [buildLabel]: 'true' };
  const own = { HOME: `${work}/home`, TMPDIR: `${work}/files/temporary` };
  const container = (
    step: string,
    image: string,
    words: readonly string[],
    env: object,
  ): object => ({
    name: step,
    image,
    command: words,
    env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
    resources: clusterLimits.buildResources,
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [
      { name: 'build', mountPath: work },
      // What runs programs of packages cannot speak for this Pod.
      ...(step === 'install' ? [] : [{ name: 'owner', mountPath: places.owner, readOnly: true }]),
    ],
  });
  const carrier = stockImage(node, terms);
  const owner = { OWNER: terms.ownerUrl };
  const install = ['sh', '-c', runs, 'sh', ...command];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels },
    spec: {
      restartPolicy: 'Never',
      activeDeadlineSeconds: clusterLimits.buildSeconds,
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        ...{ runAsUser: 65_532, runAsGroup: 65_532, fsGroup: 65_532 },
        seccompProfile: { type: 'RuntimeDefault' },
      },
      initContainers: [
        container('fetch', carrier, ['node', '-e', fetches], owner),
        container('install', stockImage(runtime, terms), install, { ...order.environment, ...own }),
      ],
      containers: [container('bring', carrier, ['node', '-e', brings], owner)],
      volumes: [
        { name: 'build', emptyDir: { sizeLimit: clusterLimits.buildVolume } },
        { name: 'owner', projected: { sources: ownerSources(terms) } },
      ],
    },
  };
}
