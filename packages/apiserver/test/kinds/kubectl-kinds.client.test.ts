import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type KubectlSession, openKubectlSession, skipWithoutKubectl } from '../kubectl-session.ts';

// The builtin kinds as kubectl makes, shows and changes them.

/** What `kubectl create` makes from flags, and the line of `get -o wide` that it is shown in. */
const created: readonly (readonly [create: string, get: string, heading: string, row: RegExp])[] = [
  [
    'deployment web --image=img:1 --replicas=2',
    'deploy web',
    'NAME READY UP-TO-DATE AVAILABLE AGE CONTAINERS IMAGES SELECTOR',
    /^web 0\/2 0 0 \d+s img img:1 app=web$/,
  ],
  [
    'job once --image=img:1',
    'job once',
    'NAME STATUS COMPLETIONS DURATION AGE CONTAINERS IMAGES SELECTOR',
    /^once Running 0\/1 \d+s once img:1 batch\.kubernetes\.io\/controller-uid=[-0-9a-f]+$/,
  ],
  [
    'cronjob tick --image=img:1 --schedule=@daily',
    'cj tick',
    'NAME SCHEDULE TIMEZONE SUSPEND ACTIVE LAST SCHEDULE AGE CONTAINERS IMAGES SELECTOR',
    /^tick @daily <none> False 0 <none> \d+s tick img:1 <none>$/,
  ],
  [
    'ingress in --rule=x.example.com/*=svc:80',
    'ing in',
    'NAME CLASS HOSTS ADDRESS PORTS AGE',
    /^in <none> x\.example\.com 80 \d+s$/,
  ],
  [
    'poddisruptionbudget keep --selector=app=web --min-available=50%',
    'pdb keep',
    'NAME MIN AVAILABLE MAX UNAVAILABLE ALLOWED DISRUPTIONS AGE',
    /^keep 50% N\/A 0 \d+s$/,
  ],
  [
    'quota limit --hard=pods=3',
    'quota limit',
    'NAME REQUEST LIMIT AGE',
    /^limit (pods: 0\/3 )?\d+s$/,
  ],
  [
    'priorityclass high --value=1000',
    'pc high',
    'NAME VALUE GLOBAL-DEFAULT AGE PREEMPTIONPOLICY',
    /^high 1000 false \d+s PreemptLowerPriority$/,
  ],
  [
    'service nodeport out --tcp=80:8080',
    'svc out',
    'NAME TYPE CLUSTER-IP EXTERNAL-IP PORT(S) AGE SELECTOR',
    /^out NodePort 10\.96\.\d+\.\d+ <none> 80:3\d{4}\/TCP \d+s app=out$/,
  ],
];

const manifests: readonly (readonly [
  manifest: object,
  get: string,
  heading: string,
  row: RegExp,
])[] = [
  [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'claim' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
    'pvc claim',
    'NAME STATUS VOLUME CAPACITY ACCESS MODES STORAGECLASS VOLUMEATTRIBUTESCLASS AGE VOLUMEMODE',
    /^claim Pending <unset> \d+s Filesystem$/,
  ],
  [
    {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n1' },
      status: { nodeInfo: {} },
    },
    'node n1',
    'NAME STATUS ROLES AGE VERSION INTERNAL-IP EXTERNAL-IP OS-IMAGE KERNEL-VERSION CONTAINER-RUNTIME',
    /^n1 Unknown <none> \d+s <none> <none> <unknown> <unknown> <unknown>$/,
  ],
  [
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'np' },
      spec: { podSelector: { matchLabels: { a: 'b' } } },
    },
    'netpol np',
    'NAME POD-SELECTOR AGE',
    /^np a=b \d+s$/,
  ],
  [
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'fast' },
      provisioner: 'example.com/disk',
    },
    'sc fast',
    'NAME PROVISIONER RECLAIMPOLICY VOLUMEBINDINGMODE ALLOWVOLUMEEXPANSION AGE',
    /^fast example\.com\/disk Delete Immediate false \d+s$/,
  ],
  [
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'eps' },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.1.1'] }],
      ports: [{ port: 80 }],
    },
    'endpointslice eps',
    'NAME ADDRESSTYPE PORTS ENDPOINTS AGE',
    /^eps IPv4 80 10\.1\.1\.1 \d+s$/,
  ],
];

/** The output of a command that must succeed. */
async function say(session: KubectlSession, args: string, stdin?: string): Promise<string> {
  const { out } = await session.expect(args, /(?:)/, stdin);
  return out;
}

function words(line = ''): string {
  return line.trim().split(/\s+/).join(' ');
}

describe('kubectl and the builtin kinds', { skip: await skipWithoutKubectl() }, () => {
  it('creates them from flags and shows them', async () => {
    await using session = await openKubectlSession();
    for (const [create, get, heading, row] of created) {
      await say(session, `create ${create}`);
      const [first, second] = (await say(session, `get ${get} -o wide`)).split('\n');
      assert.equal(words(first), heading);
      assert.match(words(second), row);
    }
  });

  it('creates them from manifests and shows them', async () => {
    await using session = await openKubectlSession();
    for (const [manifest, get, heading, row] of manifests) {
      await say(session, 'create -f -', JSON.stringify(manifest));
      const [first, second] = (await say(session, `get ${get} -o wide`)).split('\n');
      assert.equal(words(first), heading);
      assert.match(words(second), row);
    }
  });

  it('scales, sets images, autoscales and restarts a Deployment', async () => {
    await using session = await openKubectlSession();
    const field = (path: string): Promise<string> =>
      say(session, `get deploy web -o jsonpath={${path}}`);
    await say(session, 'create deployment web --image=img:1');
    await say(session, 'scale deploy web --replicas=3');
    assert.equal(await field('.spec.replicas'), '3');
    await say(session, 'set image deploy/web img=img:2');
    assert.equal(await field('.spec.template.spec.containers[0].image'), 'img:2');
    await say(session, 'set resources deploy/web --limits=cpu=1');
    await say(session, 'rollout restart deploy/web');
    assert.equal(await field('.metadata.generation'), '5');
    await say(session, 'autoscale deploy web --min=2 --max=5 --cpu-percent=60');
    const hpa = await say(session, 'get hpa web --no-headers');
    assert.match(words(hpa), /^web Deployment\/web cpu: <unknown>\/60% 2 5 0 \d+s$/);
    await say(session, 'expose deploy web --port=80');
    assert.match(await say(session, 'describe deploy web'), /Selector: +app=web/);
    assert.match(await say(session, 'describe hpa web'), /Max replicas: +5/);
  });

  it('is told what is wrong in the words of Kubernetes', async () => {
    await using session = await openKubectlSession();
    const job =
      '{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},"spec":{"template":{"spec":{"containers":[{"name":"c"}]}}}}';
    const { code, err } = await session.kubectl('create -f -', job);
    assert.equal(code, 1);
    assert.match(err, /The Job "j" is invalid: /);
    assert.match(err, /\* spec\.template\.spec\.containers\[0\]\.image: Required value/);
    assert.match(
      err,
      /\* spec\.template\.spec\.restartPolicy: Required value: valid values: "OnFailure", "Never"/,
    );
  });
});
