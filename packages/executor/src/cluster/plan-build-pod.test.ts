import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject } from '@fnlet/base';
import { planBuildPod } from './plan-build-pod.ts';

const terms = {
  ownerUrl: 'https://controller:8443',
  programs: { node: { name: 'node', items: [] }, python: { name: 'python', items: [] } },
  authorityConfigMap: 'fnlet-authority',
  requests: { cpu: '10m', memory: '64Mi' },
  registry: 'mirror.example',
};
const order = {
  name: 'fnlet-build-a',
  namespace: 'fnlet-system',
  runtime: 'python3.12',
  command: ['python3.12', '-m', 'pip', 'install'],
  environment: { HTTPS_PROXY: 'http://proxy:3128' },
};

function containers(): readonly (readonly [string, Readonly<Record<string, unknown>>])[] {
  const { spec } = planBuildPod(order, terms);
  assert.ok(isJsonObject(spec));
  const { initContainers, containers: others } = spec;
  assert.ok(Array.isArray(initContainers) && Array.isArray(others));
  return [...initContainers, ...others].flatMap((container: unknown) =>
    isJsonObject(container) ? [[String(container.name), container] as const] : [],
  );
}

test('planBuildPod() fetches, installs on the image of the runtime, and brings', () => {
  assert.deepEqual(
    containers().map(([name, { image }]) => [name, image]),
    [
      ['fetch', 'mirror.example/node:24-slim'],
      ['install', 'mirror.example/python:3.12-slim'],
      ['bring', 'mirror.example/node:24-slim'],
    ],
  );
});

test('planBuildPod() gives its Pod no rights, a deadline and bounds', () => {
  const { metadata, spec } = planBuildPod(order, terms);
  assert.ok(isJsonObject(spec));
  assert.equal(metadata.namespace, 'fnlet-system');
  assert.equal(spec.automountServiceAccountToken, false);
  assert.equal(spec.restartPolicy, 'Never');
  assert.equal(spec.activeDeadlineSeconds, 900);
  assert.ok(isJsonObject(spec.securityContext) && spec.securityContext.runAsNonRoot === true);
  for (const [name, { securityContext, resources }] of containers()) {
    assert.deepEqual(
      securityContext,
      {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
      name,
    );
    assert.ok(isJsonObject(resources) && resources.limits !== undefined, name);
  }
});

test('planBuildPod() keeps the token of the Pod from what programs of packages see', () => {
  for (const [name, { volumeMounts }] of containers()) {
    assert.ok(Array.isArray(volumeMounts));
    const names = volumeMounts.map((mount: unknown) => (isJsonObject(mount) ? mount.name : ''));
    assert.deepEqual(names, name === 'install' ? ['build'] : ['build', 'owner'], name);
  }
});

test('planBuildPod() passes words on as they are, and leads to registries', () => {
  const install = containers().find(([name]) => name === 'install')?.[1];
  assert.ok(Array.isArray(install?.command) && Array.isArray(install.env));
  assert.deepEqual(install.command.slice(4), order.command);
  const named = install.env.map((each: unknown) => (isJsonObject(each) ? each.name : ''));
  assert.deepEqual(named, ['HTTPS_PROXY', 'HOME', 'TMPDIR']);
});
