/** The Helm chart and the kustomize base make the objects of `fnlet install`, as their tools say. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { KubeObject } from '@fnlet/machinery';
import {
  defaultValues,
  type InstallValues,
  nestValues,
} from '../packages/cli/src/install/install-settings.ts';
import { planInstall } from '../packages/cli/src/install/plan-install.ts';
import { parseManifests } from '../packages/cli/src/read-manifests.ts';
import { kubectlProgram, runProgram } from './fnlet-process.ts';

const deploy = join(import.meta.dirname, '..', 'deploy');
const namespace = 'fnlet-system';
const { PATH = '', HOME = '' } = process.env;
const env = { PATH, HOME };

/** Objects by kind and name. */
type Named = Readonly<Record<string, unknown>>;

function byName(objects: readonly KubeObject[]): Named {
  const entries = objects.map((object) => {
    const { annotations, ...metadata } = object.metadata;
    const { 'helm.sh/resource-policy': _, ...kept } = annotations ?? {};
    const own = Object.keys(kept).length === 0 ? metadata : { ...metadata, annotations: kept };
    return [`${object.kind} ${metadata.name}`, { ...object, metadata: own }] as const;
  });
  // Without what is undefined, and without an order.
  return JSON.parse(JSON.stringify(Object.fromEntries(entries)));
}

async function objectsOf(program: string, args: readonly string[], input = ''): Promise<Named> {
  const { code, stdout, stderr } = await runProgram(program, args, { env, input });
  assert.equal(code, 0, stderr);
  return byName(await parseManifests(stdout, program));
}

function planned(changed: InstallValues): readonly KubeObject[] {
  return planInstall({ namespace, values: { ...defaultValues, image: 'fnlet', ...changed } });
}

test('kubectl kustomize makes the objects of fnlet install', async () => {
  const made = await objectsOf(kubectlProgram(), ['kustomize', join(deploy, 'kustomize')]);
  assert.deepEqual(made, byName(planned({})));
});

const changes: readonly InstallValues[] = [
  {},
  {
    ...{ registry: 'mirror.example', logLevel: 'debug', podMonitor: true, priorityClass: false },
    ...{ networkPolicies: false, imagePullSecrets: [{ name: 'pull' }] },
    ...{ 'controller.nodeSelector': { pool: 'system' }, 'controller.replicas': 3 },
    ...{ 'gateway.tolerations': [{ key: 'edge', operator: 'Exists' }], 'gateway.maxReplicas': 50 },
    ...{ 'gateway.serviceAnnotations': { 'example.dev/scheme': 'internal' } },
    ...{ 'gateway.serviceType': 'LoadBalancer', 'gateway.url': 'https://functions.example' },
    ...{ 'artifacts.persistent': true, 'artifacts.storageClass': 'files' },
  },
];

const helm = process.env.HELM || 'helm';
const hasHelm = await runProgram(helm, ['version'], { env }).then(
  ({ code }) => code === 0,
  () => false,
);
const skip = hasHelm ? false : 'no helm: name one with HELM';

for (const [index, changed] of changes.entries()) {
  test(`helm makes the objects of fnlet install, values ${index + 1}`, { skip }, async () => {
    const values = JSON.stringify({
      image: 'fnlet',
      ...nestValues({ ...defaultValues, ...changed }),
    });
    const release = ['1.28.0', '1.36.0'][index] ?? '';
    const args = ['template', 'fnlet', join(deploy, 'helm'), '--kube-version', release];
    args.push('-n', namespace, '-f', '-');
    const made = await objectsOf(helm, args, values);
    // Helm makes namespaces itself.
    const expected = planned(changed).filter(({ kind }) => kind !== 'Namespace');
    assert.deepEqual(made, byName(expected));
  });
}

test('helm refuses values that there are not, and to go without an image', { skip }, async () => {
  const chart = join(deploy, 'helm');
  const release = ['--kube-version', '1.36.0'];
  const none = await runProgram(helm, ['template', 'fnlet', chart, ...release], { env });
  assert.match(none.stderr, /set image/);
  const wrong = ['--set', 'image=fnlet', '--set', 'gateway.replicas=2'];
  const refused = await runProgram(helm, ['template', 'fnlet', chart, ...release, ...wrong], {
    env,
  });
  assert.match(refused.stderr, /replicas/);
});
