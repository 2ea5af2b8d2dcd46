import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type JsonObject } from '@fnlet/base';
import { createClient } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { clusterNames } from '@fnlet/server/cluster/names';
import { controllerRules, gatewayRules, metricsRules } from '@fnlet/server/cluster/rules';
import { startTestCluster } from '@fnlet/testing';
import { applyStrictly, podTemplates } from '../../test/installation-checks.ts';
import { exitCodes } from '../exit-codes.ts';
import { checkTexts } from './check-texts.ts';
import {
  defaultValues,
  type InstallValues,
  nestValues,
  parseInstallValues,
  selectSettings,
} from './install-settings.ts';
import { planBundle } from './plan-bundle.ts';
import { installedDefinitions, planInstall } from './plan-install.ts';

const namespace = 'fnlet-system';
const image = 'registry.example/fnlet:1';

function plan(values: InstallValues = {}, bundled = false): readonly KubeObject[] {
  const all = { ...defaultValues, image: bundled ? '' : image, ...values };
  const bundle = bundled ? planBundle({ 'a.js': 'text' }, namespace).names : undefined;
  return planInstall({ namespace, values: all, bundle });
}

/** Values that are not the default, for every setting that there is. */
const everything: InstallValues = {
  registry: 'mirror.example/stock',
  imagePullSecrets: [{ name: 'pull' }],
  podMonitor: true,
  'controller.nodeSelector': { pool: 'system' },
  'controller.tolerations': [{ key: 'system', operator: 'Exists' }],
  'gateway.nodeSelector': { pool: 'edge' },
  'gateway.tolerations': [{ key: 'edge', operator: 'Exists' }],
  'gateway.serviceType': 'LoadBalancer',
  'gateway.serviceAnnotations': { 'example.dev/scheme': 'internal' },
  'gateway.url': 'https://functions.example',
  'gateway.tracesEndpoint': 'http://collector:4318',
  'metricsApi.custom': true,
  'metricsApi.external': true,
  'systems.kyma': true,
  'systems.kubeless': true,
  'artifacts.persistent': true,
  'artifacts.storageClass': 'files',
  'nats.enabled': true,
  'nats.cluster': true,
  'ingress.className': 'nginx',
  'ingress.annotations': 'example.dev/issuer=ours',
  'httpRoute.parentRef': 'edge/public',
};

function names(objects: readonly KubeObject[]): readonly string[] {
  return objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
}

function find(objects: readonly KubeObject[], kind: string, name: string): JsonObject {
  const found: unknown = objects.find((o) => o.kind === kind && o.metadata.name === name);
  assert.ok(isJsonObject(found), `${kind} ${name}`);
  return found;
}

test('planInstall() begins with the namespace and the definitions of kinds', () => {
  const [first, ...others] = plan();
  assert.equal(first?.kind, 'Namespace');
  assert.deepEqual(others.slice(0, installedDefinitions.length), installedDefinitions);
});

test('planInstall() is the same for the same values, and its names are unique', () => {
  assert.deepEqual(plan(), plan());
  const all = names(plan(everything));
  assert.equal(new Set(all).size, all.length);
});

test('planInstall() makes what a setting asks for, and nothing of what it does not', () => {
  const few = names(plan({ priorityClass: false, networkPolicies: false }));
  const most = names(plan(everything));
  for (const kind of ['NetworkPolicy', 'PriorityClass', 'PodMonitor', 'PersistentVolumeClaim']) {
    assert.ok(!few.some((name) => name.startsWith(kind)), kind);
    assert.ok(
      most.some((name) => name.startsWith(kind)),
      kind,
    );
  }
  // Definitions have a field of that name for the Pods of functions.
  const own = plan({ priorityClass: false }).filter(({ kind }) => !kind.endsWith('Definition'));
  assert.ok(!JSON.stringify(own).includes('priorityClassName'));
});

test('the controller has rights for what values ask for, and no others', () => {
  const kinds = ['ingresses', 'httproutes', 'endpointslices', 'networkpolicies'];
  const granted = (changes: InstallValues): readonly string[] => {
    const roles = plan(changes).filter(({ kind }) => kind === 'ClusterRole');
    const text = JSON.stringify(roles.filter(({ metadata }) => /controller/.test(metadata.name)));
    return kinds.filter((kind) => text.includes(`"${kind}"`));
  };
  assert.deepEqual(granted({ networkPolicies: false }), []);
  assert.deepEqual(granted({}), ['networkpolicies']);
  const policies = { networkPolicies: false };
  assert.deepEqual(granted({ ...policies, 'ingress.className': 'nginx' }), [
    'ingresses',
    'endpointslices',
  ]);
  assert.deepEqual(granted({ ...policies, 'httpRoute.parentRef': 'edge/public' }), [
    'httproutes',
    'endpointslices',
  ]);
});

test('planInstall() brings every setting to its place', () => {
  const text = JSON.stringify(plan(everything));
  for (const found of [
    ...[
      '"nodeSelector":{"pool":"system"}',
      '"nodeSelector":{"pool":"edge"}',
      '"type":"LoadBalancer"',
    ],
    ...['"imagePullSecrets":[{"name":"pull"}]', '"key":"edge"', '"example.dev/scheme":"internal"'],
    ...['"storageClassName":"files"', '"value":"https://functions.example"'],
    '{"name":"OTEL_EXPORTER_OTLP_ENDPOINT","value":"http://collector:4318"}',
    '{"name":"FNLET_CUSTOM_METRICS","value":"true"}',
    '{"name":"FNLET_EXTERNAL_METRICS","value":"true"}',
    ...['{"name":"FNLET_INGRESS_CLASS","value":"nginx"}'],
    '{"name":"FNLET_INGRESS_ANNOTATIONS","value":"example.dev/issuer=ours"}',
    '{"name":"FNLET_HTTP_ROUTE_PARENT","value":"edge/public"}',
    ...['{"name":"FNLET_REGISTRY","value":"mirror.example/stock"}', `"image":"${image}"`],
  ]) {
    assert.ok(text.includes(found), found);
  }
  assert.ok(!text.includes('"emptyDir":{},"persistentVolumeClaim"'));
});

test('Pods are what the profile "restricted" takes, with an image and with a bundle', () => {
  for (const objects of [plan(), plan(everything), plan({}, true)]) {
    const templates = podTemplates(objects);
    assert.equal(templates.length, 2);
    for (const { name, spec } of templates) {
      const { securityContext, volumes } = spec;
      assert.equal(securityContext.runAsNonRoot, true, name);
      assert.ok(Number(securityContext.runAsUser) > 0, name);
      assert.deepEqual(securityContext.seccompProfile, { type: 'RuntimeDefault' }, name);
      for (const field of ['hostNetwork', 'hostPID', 'hostIPC']) assert.ok(!(field in spec), field);
      const allowed = ['name', 'emptyDir', 'configMap', 'projected', 'persistentVolumeClaim'];
      for (const volume of volumes) {
        for (const kind of Object.keys(volume)) assert.ok(allowed.includes(kind), kind);
      }
      for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
        const { allowPrivilegeEscalation, capabilities, readOnlyRootFilesystem } =
          container.securityContext;
        assert.equal(allowPrivilegeEscalation, false);
        assert.equal(readOnlyRootFilesystem, true);
        assert.deepEqual(capabilities, { drop: ['ALL'] });
        assert.ok(container.resources.requests.cpu, container.name);
        assert.ok(container.resources.limits.memory, container.name);
        assert.ok(
          container.ports === undefined || container.ports.every((p) => !('hostPort' in p)),
        );
      }
      for (const container of spec.containers) {
        assert.ok(container.startupProbe && container.readinessProbe && container.livenessProbe);
      }
    }
  }
});

test('a bundle runs on the stock image of Node, that of the mirror if there is one', () => {
  const images = (objects: readonly KubeObject[]) =>
    podTemplates(objects).flatMap(({ spec }) => spec.containers.map((c) => c.image));
  assert.deepEqual(images(plan({}, true)), ['node:24-slim', 'node:24-slim']);
  const mirrored = plan({ registry: 'mirror.example' }, true);
  assert.deepEqual(images(mirrored), [
    'mirror.example/node:24-slim',
    'mirror.example/node:24-slim',
  ]);
});

test('roles are the rules that the parts name, and nothing is allowed by a star', () => {
  const objects = plan(everything);
  const text = JSON.stringify(objects.filter(({ kind }) => /Role/.test(kind)));
  assert.ok(!text.includes('"*"'));
  const ruled = (kind: string, name: string): unknown => find(objects, kind, name).rules;
  const { controller, gateway } = clusterNames;
  assert.deepEqual(ruled('ClusterRole', `${namespace}:${controller}`), controllerRules.cluster);
  assert.deepEqual(ruled('Role', controller), controllerRules.namespace);
  assert.deepEqual(ruled('ClusterRole', `${namespace}:${gateway}`), gatewayRules.cluster);
});

test('a group of metrics has an APIService for each version, and rights, where it is wanted', () => {
  assert.ok(!JSON.stringify(plan()).includes('metrics.k8s.io'));
  const objects = plan({ 'metricsApi.custom': true });
  const services = objects.filter(
    ({ kind, metadata }) => kind === 'APIService' && metadata.name.endsWith('.metrics.k8s.io'),
  );
  assert.deepEqual(
    services.map((object) => Object(object).spec),
    ['v1beta2', 'v1beta1'].map((version, index) => ({
      group: 'custom.metrics.k8s.io',
      version,
      groupPriorityMinimum: 100,
      versionPriority: 200 - 100 * index,
      service: { namespace, name: 'fnlet-api', port: 443 },
    })),
  );
  const role = find(objects, 'ClusterRole', `${namespace}:fnlet-controller-custom-metrics`);
  assert.deepEqual(role.rules, metricsRules('custom.metrics.k8s.io'));
  const viewers = find(objects, 'ClusterRole', `${namespace}:view-custom-metrics`);
  assert.match(JSON.stringify(viewers), /aggregate-to-view.*functions.fnlet.dev\/fnlet_function_/);
  const most = names(plan(everything)).filter((name) => /^APIService .*metrics/.test(name));
  assert.equal(most.length, 3);
});

const roleType: ResourceType = {
  ...{ group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'ClusterRole' },
  ...{ plural: 'clusterroles', namespaced: false },
};

test('an API takes all objects, knows all of their fields, and takes them again unchanged', async () => {
  await using cluster = await startTestCluster();
  const client = createClient(cluster.transport(), { fieldManager: 'fnlet-install' });
  const known = plan({ ...everything, podMonitor: false });
  await applyStrictly(client, known);
  // The API gathers the rules of this one by itself, a moment later.
  const name = `${namespace}:${clusterNames.watched}`;
  for (let looks = 0; looks < 10_000; looks++) {
    const { rules } = Object(await client.of(roleType).get({ namespace: '', name }));
    if (Array.isArray(rules) && rules.length > 0) break;
    await new Promise(setImmediate);
  }
  const versions = await applyStrictly(client, known);
  assert.deepEqual(await applyStrictly(client, known), versions);
});

test('an API takes the objects of a bundle', async () => {
  await using cluster = await startTestCluster();
  const client = createClient(cluster.transport(), { fieldManager: 'fnlet-install' });
  await applyStrictly(client, plan({}, true));
});

test('an API refuses a field that it does not know: the test above would see one', async () => {
  await using cluster = await startTestCluster();
  const client = createClient(cluster.transport(), { fieldManager: 'fnlet-install' });
  const [first] = plan();
  assert.ok(first !== undefined);
  const wrong = [{ ...first, spec: { finalisers: [] } }];
  await assert.rejects(applyStrictly(client, wrong), /finalisers/);
});

test('parseInstallValues() reads what a file nests, and nestValues() writes it again', () => {
  const file = { logLevel: 'debug', gateway: { minReplicas: 3 }, artifacts: { size: '1Gi' } };
  const values = parseInstallValues(file);
  assert.equal(values['gateway.minReplicas'], 3);
  assert.equal(values['gateway.maxReplicas'], 10);
  assert.deepEqual(nestValues(values), file);
  assert.deepEqual(nestValues(defaultValues), {});
});

test('parseInstallValues() says what is wrong', () => {
  const cases: readonly [unknown, RegExp][] = [
    [{ gatway: {} }, /"gatway".*setting/],
    [{ gateway: { replicas: 2 } }, /"gateway.replicas".*setting/],
    [{ gateway: 2 }, /"gateway": found 2/],
    [{ controller: { replicas: 0 } }, /found 0, expected a number from 1/],
    [{ controller: { replicas: '2' } }, /found "2"/],
    [{ logLevel: 'loud' }, /debug or info/],
    [{ podMonitor: 'yes' }, /true or false/],
    [{ imagePullSecrets: 'pull' }, /a list/],
    [{ imagePullSecrets: ['pull'] }, /a list of objects/],
    [{ controller: { nodeSelector: [] } }, /fields/],
    [{ gateway: { nodeSelector: { edge: true } } }, /"gateway.nodeSelector.edge": found true/],
    [{ gateway: { nodeSelector: { edge: 'a b' } } }, /"gateway.nodeSelector.edge": found "a b"/],
    [{ gateway: { serviceAnnotations: { 'bad key!': 'x' } } }, /found "bad key!", expected a name/],
    [{ controller: { tolerations: [{ key: 'a', operator: 'Maybe' }] } }, /Exists or Equal/],
    [{ gateway: { tolerations: [{ key: 'a', effect: 'Never' }] } }, /"Never", expected NoSchedule/],
    [{ gateway: { tolerations: [{ value: 'a' }] } }, /Exists where there is no key/],
    [{ registry: 'https://mirror.example' }, /a host and folders/],
    [{ registry: 'mirror.example/a b' }, /a host and folders/],
    [{ image: 'fnlet 0.1.0' }, /the name of an image/],
    [{ controller: { cpu: 'much' } }, /found "much", expected a quantity/],
    [{ controller: { cpu: 1 } }, /found 1, expected a quantity as text/],
    [{ artifacts: { size: '0' } }, /a quantity/],
    [{ controller: { memory: '2Gi' } }, /at most controller.memoryLimit, which is 1Gi/],
    [{ gateway: { minReplicas: 11 } }, /at most gateway.maxReplicas, which is 10/],
    [{ gateway: { accessLog: '/var/log/access' } }, /off or stdout/],
    [{ events: { log: 'nats://n', logSecret: 'n' } }, /no events.log beside it/],
    [{ artifacts: { persistent: true, accessMode: 'ReadWriteOnce' } }, /controller.replicas of 1/],
    [{ aggregatedApi: false, metricsApi: { custom: true } }, /aggregatedApi: true beside it/],
    [[], /settings with values/],
  ];
  for (const [file, message] of cases) {
    assert.throws(
      () => parseInstallValues(file),
      (error: Error & { exitCode?: number }) =>
        message.test(error.message) && error.exitCode === exitCodes.usage,
      `${message}`,
    );
  }
});

test('parseInstallValues() takes what registries, images and Pods may be named and tolerate', () => {
  const names = [
    ...[
      'mirror.example',
      'mirror.example:5000/a/b-c.d',
      '[::1]:5000',
      'localhost/x',
      '10.0.0.1:80',
    ],
  ];
  for (const registry of names) assert.ok(parseInstallValues({ registry }));
  const images = ['fnlet', 'registry.example:5000/a/fnlet:0.1.0', `fnlet@sha256:${'0'.repeat(64)}`];
  for (const image of images) assert.ok(parseInstallValues({ image }));
  const tolerations = [{ operator: 'Exists' }, { key: 'a', value: 'b', effect: 'NoExecute' }];
  assert.ok(parseInstallValues({ gateway: { tolerations, nodeSelector: { 'a.example/b': '' } } }));
});

test('checkTexts() refuses what controller and Gateway would end with', () => {
  const cases: readonly [path: string, wrong: string, right: string][] = [
    ['bodyLimit', 'huge', '512Ki'],
    ['gateway.url', 'functions.example', 'https://functions.example/'],
    ['gateway.tracesEndpoint', 'collector:4318', 'http://collector:4318'],
    ['gateway.trustedProxies', 'nginx', '10.0.0.0/8'],
    ['events.log', 'kafka://one:9092', 'nats://one:4222,nats://two:4222?replicas=3'],
    ['artifacts.bucket', 'my-bucket', 's3://my-bucket/fnlet?region=eu-central-1'],
    ['ingress.annotations', 'example.dev/issuer', 'example.dev/issuer=ours\nexample.dev/b='],
    ['httpRoute.parentRef', 'public', 'edge/public/https'],
  ];
  checkTexts(defaultValues);
  for (const [path, wrong, right] of cases) {
    checkTexts({ ...defaultValues, [path]: right });
    assert.throws(
      () => checkTexts({ ...defaultValues, [path]: wrong }),
      (error: Error & { exitCode?: number }) =>
        error.message.includes(`"${path}"`) && error.exitCode === exitCodes.usage,
      path,
    );
  }
});

test('selectSettings() leaves out what another release had, and keeps all else', () => {
  const file = { logLevel: 'debug', gateway: { minReplicas: 3, shards: 2 }, dashboard: true };
  assert.deepEqual(selectSettings(file), {
    known: { logLevel: 'debug', gateway: { minReplicas: 3 } },
    unknown: ['gateway.shards', 'dashboard'],
  });
  assert.deepEqual(selectSettings(null), { known: null, unknown: [] });
});

test('NATS is one server or three, locked up as the parts of Fnlet, and only where it is wanted', () => {
  const ofNats = (values: InstallValues): readonly string[] =>
    names(plan(values)).filter((name) => name.endsWith(' fnlet-nats'));
  assert.deepEqual(ofNats({}), []);
  assert.equal(ofNats({ 'nats.enabled': true }).length, 5);
  const one = JSON.stringify(find(plan({ 'nats.enabled': true }), 'StatefulSet', 'fnlet-nats'));
  const three = JSON.stringify(find(plan(everything), 'StatefulSet', 'fnlet-nats'));
  assert.match(one, /"replicas":1,.*"image":"nats:2/);
  assert.doesNotMatch(one, /--routes/);
  assert.match(three, /"replicas":3,.*"image":"mirror.example\/stock\/nats:2/);
  assert.equal(three.match(/@fnlet-nats-[012].fnlet-nats:6222/g)?.length, 3);
  for (const text of [one, three]) {
    assert.match(text, /"runAsNonRoot":true.*"seccompProfile"/);
    assert.match(text, /"allowPrivilegeEscalation":false.*"drop":\["ALL"\]/);
  }
  const refused = { nats: { enabled: true }, events: { log: 'nats://a:4222' } };
  assert.throws(() => parseInstallValues(refused), { exitCode: exitCodes.usage });
});
