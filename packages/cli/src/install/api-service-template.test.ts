import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@fnlet/machinery';
import { aggregationRules, recordAccess } from '@fnlet/server/cluster/rules';
import { defaultValues, type InstallValues } from './install-settings.ts';
import { planInstall } from './plan-install.ts';

const namespace = 'fnlet-system';

function plan(values: InstallValues = {}): readonly KubeObject[] {
  return planInstall({ namespace, values: { ...defaultValues, image: 'fnlet:1', ...values } });
}

function find(objects: readonly KubeObject[], kind: string, name: string): KubeObject {
  const found = objects.find((one) => one.kind === kind && one.metadata.name === name);
  assert.ok(found, `${kind} ${name}`);
  return found;
}

test('each group leads to the Pod of the controller that leads, by a Service that selects it', () => {
  const objects = plan();
  const services = objects.filter(({ kind }) => kind === 'APIService');
  assert.deepEqual(
    services.map(({ metadata }) => metadata.name),
    ['artifacts', 'calls', 'events', 'operators'].map((name) => `v1alpha1.${name}.fnlet.dev`),
  );
  const labels = {
    'app.kubernetes.io/name': 'fnlet-controller',
    'app.kubernetes.io/part-of': 'fnlet',
    'fnlet.dev/installation': namespace,
  };
  assert.deepEqual(services[2], {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1alpha1.events.fnlet.dev', labels },
    spec: {
      group: 'events.fnlet.dev',
      version: 'v1alpha1',
      groupPriorityMinimum: 1_000,
      versionPriority: 100,
      service: { namespace, name: 'fnlet-api', port: 443 },
    },
  });
  assert.deepEqual(Object(find(objects, 'Service', 'fnlet-api')).spec, {
    selector: { ...labels, 'fnlet.dev/leads': 'true' },
    ports: [{ name: 'api', port: 443, targetPort: 8446, protocol: 'TCP' }],
  });
  const controller = JSON.stringify(find(objects, 'Deployment', 'fnlet-controller'));
  assert.ok(controller.includes('{"name":"api","containerPort":8446,"protocol":"TCP"}'));
  assert.ok(controller.includes('"fieldPath":"metadata.name"'));
  // The API server is no Pod that a selector could name.
  const policy = JSON.stringify(find(objects, 'NetworkPolicy', 'fnlet-controller'));
  assert.ok(policy.includes('{"ports":[{"port":8446,"protocol":"TCP"}]}'));
});

test('the controller may change these APIServices alone, and people by their roles what is there', () => {
  const objects = plan();
  const rules = (name: string): unknown =>
    Object(find(objects, 'ClusterRole', `${namespace}:${name}`)).rules;
  assert.deepEqual(rules('fnlet-controller-api'), aggregationRules);
  const [rule] = aggregationRules;
  assert.deepEqual(rule?.verbs, ['get', 'patch']);
  assert.equal(rule?.resourceNames?.length, 4);
  const has = (all: unknown, wanted: object): boolean =>
    JSON.stringify(all).includes(JSON.stringify(wanted));
  for (const role of ['view', 'edit'] as const) {
    for (const one of recordAccess[role]) assert.ok(has(rules(role), one), JSON.stringify(one));
  }
  // What an Operator was sent may hold Secrets.
  const read = recordAccess.view.find(({ resources }) => resources.includes('runs'));
  assert.deepEqual(read?.verbs, ['list']);
});

test('aggregatedApi: false leads nobody to the controller', () => {
  const objects = plan({ aggregatedApi: false });
  const text = JSON.stringify(objects);
  assert.ok(!/"kind":"APIService"|fnlet-api|apiservices/.test(text));
  assert.ok(text.includes('{"name":"FNLET_AGGREGATED_API","value":"false"}'));
});
