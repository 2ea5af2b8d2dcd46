/** Every object that Fnlet makes in a cluster fits the oldest and the newest Kubernetes it runs on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HttpSource, parseTrigger, type TriggerObject } from '../packages/api/src/index.ts';
import { isJsonObject, type JsonObject } from '../packages/base/src/index.ts';
import { defaultValues, type InstallValues } from '../packages/cli/src/install/install-settings.ts';
import { planBundle } from '../packages/cli/src/install/plan-bundle.ts';
import { planInstall } from '../packages/cli/src/install/plan-install.ts';
import { planSourceChildren } from '../packages/eventing/src/sources/custom/plan-source-children.ts';
import { planBuildPod } from '../packages/executor/src/cluster/plan-build-pod.ts';
import { planClaim, planFarewell } from '../packages/executor/src/cluster/plan-claim.ts';
import {
  planDeployment,
  planRevisionService,
} from '../packages/executor/src/cluster/plan-deployment.ts';
import { planPool } from '../packages/executor/src/cluster/plan-pool.ts';
import { revisionFixture } from '../packages/executor/test/revision-fixture.ts';
import { planService } from '../packages/functions/src/plan-service.ts';
import { sampleFunction } from '../packages/functions/test/samples.ts';
import { planFunctionsPolicy } from '../packages/server/src/cluster/plan-functions-policy.ts';
import { planIngress } from '../packages/server/src/cluster/routes/plan-ingress.ts';
import { planRouteBackend } from '../packages/server/src/cluster/routes/plan-route-backend.ts';
import { planProgram } from '../packages/server/src/cluster/runner-programs.ts';
import { FieldCheck } from './kubernetes-fields.ts';

const check = new FieldCheck();

function unknownIn(object: unknown): readonly string[] {
  const plain: unknown = JSON.parse(JSON.stringify(object));
  assert.ok(isJsonObject(plain));
  return check.unknownFields(plain);
}

const namespace = 'fnlet-system';

const everything: InstallValues = {
  image: 'fnlet',
  registry: 'mirror.example/stock',
  imagePullSecrets: [{ name: 'pull' }],
  'controller.nodeSelector': { pool: 'system' },
  'controller.tolerations': [{ key: 'system', operator: 'Exists' }],
  'gateway.serviceType': 'LoadBalancer',
  'gateway.serviceAnnotations': { 'example.dev/scheme': 'internal' },
  'systems.kyma': true,
  'systems.kubeless': true,
  'artifacts.persistent': true,
  'artifacts.storageClass': 'files',
  'nats.enabled': true,
  'nats.cluster': true,
  'ingress.className': 'nginx',
  'httpRoute.parentRef': 'edge/public',
};

const terms = {
  ownerUrl: 'https://fnlet-controller.fnlet-system.svc:8443',
  programs: {
    node: { name: 'node', items: [{ key: 'file-0', path: 'src/pod-main.mjs' }] },
    python: { name: 'python', items: [] },
  },
  authorityConfigMap: 'fnlet-authority',
  requests: { cpu: '10m', memory: '64Mi' },
  sharedNetwork: true,
};

/** A Revision that asks for all that Pods can be asked for. */
const revision = revisionFixture({
  serviceAccountName: 'worker',
  resources: { requests: { cpu: '100m' }, limits: { memory: '1Gi' } },
  labels: { team: 'a' },
  annotations: { note: 'b' },
  pod: {
    executor: 'deployment',
    imageOverride: 'me/it:1',
    mounts: [
      { secret: 'keys', path: '/etc/keys', items: [{ key: 'a', path: 'b' }], optional: true },
      { configMap: 'settings', path: '/etc/settings', defaultMode: 0o400 },
    ],
    settings: {
      nodeSelector: { room: 'plenty' },
      affinity: { nodeAffinity: {}, podAffinity: {}, podAntiAffinity: {} },
      tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }],
      topologySpreadConstraints: [
        {
          ...{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' },
          labelSelector: { matchLabels: { a: 'b' } },
        },
      ],
      ...{ runtimeClassName: 'gvisor', priorityClassName: 'low', schedulerName: 'own' },
      imagePullSecrets: [{ name: 'pull' }],
      hostAliases: [{ ip: '10.0.0.9', hostnames: ['db'] }],
      ...{ dnsPolicy: 'None', dnsConfig: { nameservers: ['10.0.0.10'] } },
    },
    user: { runAsUser: 1, runAsGroup: 1, fsGroup: 1, supplementalGroups: [2] },
  },
});

function trigger(source: JsonObject): TriggerObject {
  return parseTrigger({
    apiVersion: 'fnlet.dev/v1alpha1',
    kind: 'Trigger',
    metadata: { name: 'shop', namespace: 'default', uid: 'u1' },
    spec: { source, target: { function: 'orders' } },
  });
}

const http: HttpSource = {
  hosts: ['shop.example.com'],
  paths: [{ prefix: '/api' }],
  tls: { secretName: 'shop-tls' },
};
const template = { spec: { containers: [{ name: 'main', image: 'me/source:1' }] } };
const slice = {
  ...{ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata: { name: 'a' } },
  ...{ addressType: 'IPv4', ports: [{ name: 'http', port: 8080 }] },
  endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true }, zone: 'a' }],
};
const order = {
  ...{ name: 'fnlet-build-a', namespace, runtime: 'python3.12' },
  ...{ command: ['pip', 'install'], environment: { HTTPS_PROXY: 'http://proxy:3128' } },
};
const pod = { apiVersion: 'v1', kind: 'Pod' };

const made: readonly (readonly [what: string, objects: readonly unknown[]])[] = [
  ['an installation', planInstall({ namespace, values: { ...defaultValues, image: 'fnlet' } })],
  ['all of it', planInstall({ namespace, values: { ...defaultValues, ...everything } })],
  ['a program in ConfigMaps', planBundle({ 'a.js': 'text' }, namespace).objects],
  ['a Revision', [planDeployment(revision, 2, terms), planRevisionService(revision)]],
  [
    'a pool',
    [planPool({ namespace: 'default', pool: 'python3.12', replicas: 1, isPressing: false }, terms)],
  ],
  [
    'an Instance',
    [
      { ...pod, ...planClaim(revision, 'a') },
      { ...pod, ...planFarewell('u') },
    ],
  ],
  ['a build', [planBuildPod(order, terms)]],
  ['a namespace', [planFunctionsPolicy('default', namespace)]],
  ['a Runner', [planProgram(new Map([['a', Buffer.from('text')]])).configMap]],
  ['a Function', [planService(sampleFunction())]],
  [
    'a custom source',
    planSourceChildren({
      ...{ trigger: trigger({ custom: { template } }), source: { template } },
      ...{ url: 'http://sink', token: 'secret' },
    }),
  ],
  [
    'an entrance',
    [
      planIngress(trigger({ http: { ...http } }), {
        ...{ className: 'nginx', annotations: { a: 'b' } },
        ...{ service: 'fnlet-gateway', port: 80 },
      }),
      ...planRouteBackend('default', [slice]),
    ],
  ],
];

for (const [what, objects] of made) {
  test(`the objects of ${what} have no field that a Kubernetes of 1.28 to 1.36 does not know`, () => {
    assert.ok(objects.length > 0);
    const found = objects.flatMap((object) => {
      const { kind, metadata } = isJsonObject(object) ? object : {};
      const name = isJsonObject(metadata) ? metadata.name : '';
      return unknownIn(object).map((path) => `${kind} ${name}: ${path}`);
    });
    assert.deepEqual(found, []);
  });
}

test('a field that is new, or none at all, is found wherever it is', () => {
  const container = { name: 'a', image: 'b', restartPolicyRules: [], imagee: 'c' };
  const spec = { hostnameOverride: 'a', containers: [container] };
  const deployment = {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a', labels: { any: 'b' } } },
    spec: { template: { spec } },
  };
  assert.deepEqual(unknownIn(deployment), [
    'oldest: spec.template.spec.hostnameOverride',
    'oldest: spec.template.spec.containers[0].restartPolicyRules',
    'newest: spec.template.spec.containers[0].imagee',
  ]);
  assert.deepEqual(unknownIn({ apiVersion: 'v1', kind: 'Pud' }), ['newest: v1 Pud']);
});
