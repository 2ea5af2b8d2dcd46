import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtinRuntimes, defaultScale, type FunctionObject, type RevisionSpec } from '@fnlet/api';
import { parse } from 'yaml';
import { type EjectedProject, planEjectedProject } from './plan-ejected-project.ts';

function runtimeOf(name: string): EjectedProject['runtime'] {
  const found = builtinRuntimes.find((runtime) => runtime.name === name);
  assert.ok(found);
  return found;
}

interface Given extends Partial<Omit<EjectedProject, 'owner' | 'revision' | 'runtime'>> {
  readonly spec?: Partial<RevisionSpec>;
  readonly min?: number;
}

function project({ spec = {}, min = 0, ...rest }: Given = {}): EjectedProject {
  const template = {
    runtime: 'nodejs24',
    handler: 'default',
    source: { inline: '' },
    allowInstallScripts: false,
    timeout: '30s',
    ...spec,
  };
  const metadata = { name: 'hello', namespace: 'team' };
  const owner: FunctionObject = {
    apiVersion: 'fnlet.dev/v1alpha1',
    kind: 'Function',
    metadata,
    spec: { ...template, scale: { ...defaultScale, min } },
  };
  return {
    name: 'hello',
    owner,
    revision: {
      apiVersion: 'fnlet.dev/v1alpha1',
      kind: 'Revision',
      metadata: { ...metadata, name: 'hello-1' },
      spec: { function: 'hello', environmentDigest: '0', ...template },
    },
    runtime: runtimeOf(template.runtime),
    source: new Map([['handler.ts', 'export default 1;']]),
    dependencies: { locked: { kind: 'none' }, packageJson: undefined },
    runner: new Map([['standalone.mjs', '']]),
    bodyBytesMax: 1024,
    ...rest,
  };
}

function textOf(given: EjectedProject, path: string): string {
  const content = planEjectedProject(given).get(path);
  assert.ok(typeof content === 'string', path);
  return content;
}

function manifest(given: Given, path = 'k8s/deployment.yaml'): ReturnType<typeof parse> {
  return parse(textOf(project(given), path));
}

test('planEjectedProject() has everything that a project needs, for each language', () => {
  const common = [
    '.dockerignore',
    '.gitignore',
    'Dockerfile',
    'README.md',
    'function.json',
    'function/handler.ts',
    'k8s/deployment.yaml',
    'k8s/service.yaml',
    'runner/standalone.mjs',
  ];
  const node = [
    'build.mjs',
    'package-lock.json',
    'package.json',
    'runner/node_modules/@fnlet/sdk/package.json',
    'server.mjs',
  ];
  assert.deepEqual([...planEjectedProject(project()).keys()].sort(), [...common, ...node].sort());
  const python = project({ spec: { runtime: 'python3.12' } });
  assert.deepEqual([...planEjectedProject(python).keys()].sort(), [...common, 'server.py'].sort());
  assert.match(textOf(python, 'Dockerfile'), /^FROM python:3\.12-slim$/m);
  assert.match(textOf(project(), 'Dockerfile'), /^FROM node:24-slim$/m);
});

test('planEjectedProject() keeps dependencies and their lock, and adds its scripts', () => {
  const packageJson = '{"name": "function", "dependencies": {"lodash": "4.17.21"}}';
  const locked = { kind: 'npm', packageJson, packageLock: 'the lock' } as const;
  const given = project({ dependencies: { locked, packageJson: '{"type": "module"}' } });
  const { name, dependencies, scripts } = JSON.parse(textOf(given, 'package.json'));
  assert.deepEqual([name, dependencies], ['hello', { lodash: '4.17.21' }]);
  assert.equal(scripts.start, 'node server.mjs');
  assert.equal(textOf(given, 'package-lock.json'), 'the lock');
  assert.equal(textOf(given, 'function/package.json'), '{"type": "module"}');
  assert.match(textOf(given, 'Dockerfile'), /npm ci --omit=dev --ignore-scripts/);
  const requirements = 'idna==3.10 --hash=sha256:00\n';
  const python = project({
    spec: { runtime: 'python3.11' },
    dependencies: { locked: { kind: 'pip', requirements }, packageJson: undefined },
  });
  assert.equal(textOf(python, 'requirements.txt'), requirements);
  assert.match(textOf(python, 'Dockerfile'), /--require-hashes -r requirements\.txt/);
});

test('planEjectedProject() lets the source have its own package.json', () => {
  const given = project({
    source: new Map([['package.json', 'its own']]),
    dependencies: { locked: { kind: 'none' }, packageJson: 'another' },
  });
  assert.equal(textOf(given, 'function/package.json'), 'its own');
});

test('planEjectedProject() tells the Runner what the Revision says', () => {
  const spec = {
    compatibility: 'kyma',
    handler: 'a.b',
    timeout: '1m30s',
    resources: { profile: 'S' },
  } as const;
  assert.deepEqual(JSON.parse(textOf(project({ spec }), 'function.json')), {
    namespace: 'team',
    function: 'hello',
    revision: 'hello-1',
    runtime: 'nodejs24',
    handler: 'a.b',
    compatibility: 'kyma',
    limits: {
      timeoutMs: 90_000,
      drainMs: 90_000,
      bodyBytesMax: 1024,
      memoryBytesMax: 256 * 1024 * 1024,
    },
  });
});

test('planEjectedProject() refers to Secrets and ConfigMaps, and expands nothing', () => {
  const secretKeyRef = { name: 'login', key: 'password' };
  const env = [
    { name: 'PASSWORD', valueFrom: { secretKeyRef } },
    { name: 'PLAIN', value: 'costs $5' },
    { name: 'LIKE_A_NAME', value: '$(HOME) and $$' },
    { name: 'EMPTY' },
  ];
  const envFrom = [{ prefix: 'A_', configMapRef: { name: 'settings' } }];
  const mounts = [
    { secret: 'certificate', path: '/etc/certificate', defaultMode: 256 },
    { configMap: 'texts', path: '/etc/texts', items: [{ key: 'a', path: 'b' }], optional: true },
  ];
  const { template } = manifest({
    spec: { env, envFrom, mounts, resources: { profile: 'S' } },
  }).spec;
  const [container] = template.spec.containers;
  assert.deepEqual(container.env, [
    { name: 'PASSWORD', valueFrom: { secretKeyRef } },
    { name: 'PLAIN', value: 'costs $5' },
    { name: 'LIKE_A_NAME', value: '$$(HOME) and $$$$' },
    { name: 'EMPTY', value: '' },
  ]);
  assert.deepEqual(container.envFrom, envFrom);
  assert.deepEqual(container.resources.limits, { cpu: '200m', memory: '256Mi' });
  assert.deepEqual(template.spec.volumes, [
    { name: 'tmp', emptyDir: {} },
    { name: 'mount-1', secret: { secretName: 'certificate', defaultMode: 256 } },
    {
      name: 'mount-2',
      configMap: { name: 'texts', items: [{ key: 'a', path: 'b' }], optional: true },
    },
  ]);
  assert.deepEqual(container.volumeMounts.slice(1), [
    { name: 'mount-1', mountPath: '/etc/certificate', readOnly: true },
    { name: 'mount-2', mountPath: '/etc/texts', readOnly: true },
  ]);
});

test('planEjectedProject() runs as many as never slept, at least one, with the same account', () => {
  assert.equal(manifest({}).spec.replicas, 1);
  assert.equal(manifest({ min: 3 }).spec.replicas, 3);
  assert.equal(manifest({}).spec.template.spec.automountServiceAccountToken, false);
  const { template } = manifest({ spec: { serviceAccountName: 'reader' } }).spec;
  assert.equal(template.spec.serviceAccountName, 'reader');
  assert.equal(template.spec.automountServiceAccountToken, undefined);
});

test('planEjectedProject() has the image and what else the Pods of the function asked for', () => {
  const imageOverride = 'registry.example/tools:1';
  for (const runtime of ['nodejs24', 'python3.12']) {
    const given = project({ spec: { runtime, imageOverride } });
    assert.match(textOf(given, 'Dockerfile'), /^FROM registry\.example\/tools:1$/m);
  }
  const securityContext = { runAsUser: 2_000, supplementalGroups: [7] };
  const pod = { nodeSelector: { disk: 'fast' }, runtimeClassName: 'gvisor', securityContext };
  const { spec } = manifest({ spec: { pod } }).spec.template;
  assert.deepEqual(spec.nodeSelector, { disk: 'fast' });
  assert.equal(spec.runtimeClassName, 'gvisor');
  const { runAsUser, runAsGroup, runAsNonRoot, supplementalGroups } = spec.securityContext;
  assert.deepEqual(
    [runAsUser, runAsGroup, runAsNonRoot, supplementalGroups],
    [2_000, 1_000, true, [7]],
  );
});

test('planEjectedProject() has a Service that selects the Pods of the Deployment', () => {
  const labels = { app: 'mine', 'app.kubernetes.io/name': 'theirs' };
  const { selector, template } = manifest({ spec: { labels } }).spec;
  const service = manifest({ spec: { labels } }, 'k8s/service.yaml');
  assert.deepEqual(selector.matchLabels, service.spec.selector);
  assert.deepEqual(template.metadata.labels, { app: 'mine', ...service.spec.selector });
});
