// What the API says about Kyma Functions: what Kyma takes is taken, what it refuses is refused in
// its words. The kind is defined in the api room; here is the first layer that can try it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { kymaFunctionCrd, kymaFunctionType, parseKymaFunction } from '@fnlet/api/kyma';
import { isJsonObject, type JsonObject } from '@fnlet/base';
import { resourcePath } from '@fnlet/machinery';
import { startTestCluster, type TestCluster } from '@fnlet/testing';

let cluster: TestCluster;

before(async () => {
  cluster = await startTestCluster({ objects: [kymaFunctionCrd] });
});

after(() => cluster.close());

async function post(spec: object, version = 'v1alpha2'): Promise<JsonObject> {
  const answer = await cluster.client.transport.request({
    method: 'POST',
    path: resourcePath({ ...kymaFunctionType, version }, { namespace: 'default' }),
    body: {
      apiVersion: `serverless.kyma-project.io/${version}`,
      kind: 'Function',
      metadata: { generateName: 'fn-' },
      spec,
    },
  });
  const body = await answer.json();
  assert.ok(isJsonObject(body));
  return body;
}

const inline = { source: 'module.exports = { main: () => "hi" }' };
const plain = { runtime: 'nodejs24', source: { inline } };
const git = { url: 'https://example.dev/repo.git', baseDir: '/', reference: 'main' };

const withGit = (change: object): object => ({
  ...plain,
  source: { gitRepository: { ...git, ...change } },
});

const withFunction = (of: object): object => ({
  ...plain,
  resourceConfiguration: { function: of },
});

const accepted: readonly [string, object][] = [
  ['inline source', plain],
  [
    'inline source with dependencies',
    { ...plain, source: { inline: { ...inline, dependencies: '{}' } } },
  ],
  ['a git source', withGit({})],
  ['a git source with a key', withGit({ auth: { type: 'key', secretName: 'ssh' } })],
  ['a git source with a password', withGit({ auth: { type: 'basic', secretName: 'pass' } })],
  ...['XS', 'S', 'M', 'L', 'XL'].map((profile): [string, object] => [
    `the preset ${profile}`,
    withFunction({ profile }),
  ]),
  [
    'bounds of its own',
    withFunction({ resources: { limits: { memory: '128Mi' }, requests: { cpu: 1 } } }),
  ],
  ['no bounds', { ...plain, resourceConfiguration: {} }],
  ...['local-dev', 'slow', 'normal', 'fast'].map((profile): [string, object] => [
    `the build preset ${profile}, which has no effect`,
    { ...plain, resourceConfiguration: { build: { profile } } },
  ]),
  [
    'a scaleConfig, which has no effect',
    { ...plain, scaleConfig: { minReplicas: 1, maxReplicas: 2 } },
  ],
  ['no replicas', { ...plain, replicas: 0 }],
  ['an empty template', { ...plain, template: {} }],
  ['labels and annotations', { ...plain, labels: { app: 'x' }, annotations: { note: 'y' } }],
  ['a label of 63 characters', { ...plain, labels: { ['l'.repeat(63)]: 'x'.repeat(80) } }],
  ['an annotation of another istio kind', { ...plain, annotations: { 'proxy.istio.io/x': '' } }],
  ['an image', { ...plain, runtimeImageOverride: 'example.dev/node:1' }],
  ['a mounted Secret', { ...plain, secretMounts: [{ secretName: 's', mountPath: '/s' }] }],
  ['variables', { ...plain, env: [{ name: 'A', value: 'b' }, { name: 'API-KEY' }] }],
  ['a variable twice', { ...plain, env: [{ name: 'A' }, { name: 'A', value: 'b' }] }],
  [
    'a variable that begins like a reserved one',
    { ...plain, env: [{ name: 'FUNC_TIMEOUT', value: '2' }] },
  ],
  [
    'variables from everywhere',
    {
      ...plain,
      env: [
        { name: 'A', valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } },
        { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k', optional: true } } },
        { name: 'C', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'D', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: 1 } } },
        { name: 'E', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'p', key: 'k' } } },
      ],
    },
  ],
  [
    'security contexts',
    {
      ...plain,
      podSecurityContext: { runAsUser: 1, sysctls: [{ name: 'a', value: 'b' }] },
      containerSecurityContext: { capabilities: { drop: ['ALL'] }, runAsNonRoot: true },
    },
  ],
  ...['nodejs20', 'nodejs22', 'nodejs24', 'python312'].map((runtime): [string, object] => [
    `the runtime ${runtime}`,
    { ...plain, runtime },
  ]),
  // Kyma refuses these: they are retired, or only documented so far.
  ...['nodejs12', 'nodejs18', 'python39', 'nodejs26', 'python314'].map(
    (runtime): [string, object] => [`the runtime ${runtime}, unlike Kyma`, { ...plain, runtime }],
  ),
];

for (const [title, spec] of accepted) {
  test(`accepted: ${title}`, async () => {
    const created = parseKymaFunction(await post(spec));
    const { replicas = 1 } = { replicas: undefined, ...spec };
    assert.equal(created.spec.replicas, replicas);
  });
}

const reserved = [
  'FUNC_RUNTIME',
  'FUNC_HANDLER',
  'FUNC_PORT',
  'FUNC_HANDLER_SOURCE',
  'FUNC_HANDLER_DEPENDENCIES',
  'MOD_NAME',
  'NODE_PATH',
  'PYTHONPATH',
];

const labelText = 'Labels has key starting with serverless.kyma-project.io/ which is not allowed';
const annotationText =
  'Annotations has key starting with serverless.kyma-project.io/ which is not allowed';
const sourceText = 'Use GitRepository or Inline source';
const profileText = 'Use profile or resources';

/** What is wrong, the field that is named, and the words. */
const refused: readonly [string, object, string, string][] = [
  ['no source', { ...plain, source: {} }, 'spec.source', sourceText],
  ['two sources', { ...plain, source: { inline, gitRepository: git } }, 'spec.source', sourceText],
  [
    'an empty source',
    { ...plain, source: { inline: { source: '' } } },
    'spec.source.inline.source',
    'Invalid value: "": spec.source.inline.source in body should be at least 1 chars long',
  ],
  [
    'git without a directory',
    withGit({ baseDir: ' ' }),
    'spec.source.gitRepository',
    'BaseDir is required and cannot be empty',
  ],
  [
    'git without a reference',
    withGit({ reference: '' }),
    'spec.source.gitRepository',
    'Reference is required and cannot be empty',
  ],
  [
    'git with a blank Secret',
    withGit({ auth: { type: 'key', secretName: '  ' } }),
    'spec.source.gitRepository.auth.secretName',
    'Invalid value: "  ": SecretName is required and cannot be empty',
  ],
  [
    'git with another login',
    withGit({ auth: { type: 'custom', secretName: 's' } }),
    'spec.source.gitRepository.auth.type',
    'Unsupported value: "custom": supported values: "basic", "key"',
  ],
  ...reserved.map((name): [string, object, string, string] => [
    `the variable ${name}`,
    {
      ...plain,
      env: [
        { name: 'A', value: 'a' },
        { name, value: 'x' },
      ],
    },
    'spec.env',
    'Following envs are reserved and cannot be used: ' +
      `[${reserved.map((other) => `'${other}'`).join(',')}]`,
  ]),
  [
    'a preset and bounds',
    withFunction({ profile: 'L', resources: {} }),
    'spec.resourceConfiguration.function',
    profileText,
  ],
  [
    'neither preset nor bounds',
    withFunction({}),
    'spec.resourceConfiguration.function',
    profileText,
  ],
  [
    'an unknown preset',
    withFunction({ profile: 'LL' }),
    'spec.resourceConfiguration.function',
    "Invalid profile, please use one of: ['XS','S','M','L','XL']",
  ],
  [
    'an unknown build preset',
    { ...plain, resourceConfiguration: { build: { profile: 'L' } } },
    'spec.resourceConfiguration.build',
    "Invalid profile, please use one of: ['local-dev','slow','normal','fast']",
  ],
  ...['serverless.kyma-project.io/', 'serverless.kyma-project.io/abc'].flatMap(
    (key): [string, object, string, string][] => [
      [`the label ${key}`, { ...plain, labels: { a: 'b', [key]: 'x' } }, 'spec.labels', labelText],
      [
        `the annotation ${key}`,
        { ...plain, annotations: { [key]: 'x' } },
        'spec.annotations',
        annotationText,
      ],
    ],
  ),
  [
    'a label of 64 characters',
    { ...plain, labels: { ['l'.repeat(64)]: 'x' } },
    'spec.labels',
    'Label value cannot be longer than 63',
  ],
  [
    'the annotation of the proxy',
    { ...plain, annotations: { 'proxy.istio.io/config': '' } },
    'spec.annotations',
    'Annotations has key proxy.istio.io/config which is not allowed',
  ],
  [
    'a template with labels',
    { ...plain, template: { labels: { a: 'b' } } },
    'spec.template',
    "Not supported: Use spec.labels and spec.annotations to label and/or annotate Function's Pods.",
  ],
  [
    'fewer than no replicas',
    { ...plain, replicas: -1 },
    'spec.replicas',
    'should be greater than or equal to 0',
  ],
  [
    'a Secret without a name',
    { ...plain, secretMounts: [{ secretName: '', mountPath: '/s' }] },
    'spec.secretMounts[0].secretName',
    'Invalid value: "": spec.secretMounts[0].secretName in body should be at least 1 chars long',
  ],
  [
    'a Secret mounted nowhere',
    { ...plain, secretMounts: [{ secretName: 's', mountPath: '' }] },
    'spec.secretMounts[0].mountPath',
    'Invalid value: "": spec.secretMounts[0].mountPath in body should be at least 1 chars long',
  ],
  [
    'a scaleConfig of none',
    { ...plain, scaleConfig: { minReplicas: 0, maxReplicas: 1 } },
    'spec.scaleConfig.minReplicas',
    'should be greater than or equal to 1',
  ],
  [
    'an unknown runtime',
    { ...plain, runtime: 'custom' },
    'spec.runtime',
    'Unsupported value: "custom"',
  ],
  ['no runtime', { source: plain.source }, 'spec.runtime', 'Required value'],
];

for (const [title, spec, field, text] of refused) {
  test(`refused: ${title}`, async () => {
    const { code, details } = await post(spec);
    assert.equal(code, 422);
    const causes: { field: string; message: string }[] = Object(details).causes;
    const found = causes.find((cause) => cause.field === field);
    assert.ok(found?.message.includes(text), JSON.stringify(causes));
  });
}

test('the scale is that of replicas, with the selector of the Pods', async () => {
  const created = parseKymaFunction(await post(plain));
  const { name } = created.metadata;
  const functions = cluster.client.of(kymaFunctionType);
  const key = { namespace: 'default', name };
  const status = { replicas: 1, podSelector: 'a=b' };
  await functions.patch(key, { type: 'merge', patch: { status } }, { subresource: 'status' });
  const answer = await cluster.client.transport.request({
    method: 'PATCH',
    path: `${resourcePath(kymaFunctionType, key)}/scale`,
    contentType: 'application/merge-patch+json',
    body: { spec: { replicas: 3 } },
  });
  const scale = Object(await answer.json());
  assert.deepEqual([scale.spec, scale.status], [{ replicas: 3 }, { replicas: 1, selector: 'a=b' }]);
});

test('kubectl get shows the columns of Kyma', async () => {
  const { additionalPrinterColumns = [] } = kymaFunctionCrd.spec.versions[0] ?? {};
  const names = additionalPrinterColumns.map(({ name }) => name);
  assert.deepEqual(names, ['Configured', 'Running', 'Runtime', 'Version', 'Age']);
});

const sketch = {
  replicas: 1,
  runtime: 'nodejs20',
  runtimeImageOverride: 'example.dev/node:1',
  source: { inline: 'function main() {}' },
  env: [{ name: 'MY_ENV', value: 'MY_VALUE' }],
  resourceConfiguration: { profile: 'XL' },
  secretMounts: [{ secretName: 'my-secret', mountPath: '/tmp/secret' }],
  labels: { 'test-label': 'test-label-value' },
};

for (const version of ['v2alpha1', 'v2alpha2']) {
  test(`the sketch ${version} is read in the words of v1alpha2`, async () => {
    const created = await post(sketch, version);
    const { name } = parseKymaFunction(created).metadata;
    const functions = cluster.client.of(kymaFunctionType);
    const key = { namespace: 'default', name };
    // What it is written as stays, whoever writes beside it.
    const status = { replicas: 1 };
    await functions.patch(key, { type: 'merge', patch: { status } }, { subresource: 'status' });
    await functions.patch(key, { type: 'merge', patch: { metadata: { labels: { a: 'b' } } } });
    const { spec } = parseKymaFunction(await functions.get(key));
    assert.deepEqual(spec.source, { inline: { source: sketch.source.inline } });
    assert.deepEqual(spec.resourceConfiguration, { function: { profile: 'XL' } });
    assert.deepEqual(spec.secretMounts, sketch.secretMounts);
  });
}

test('a Function of v1alpha2 passes through the sketch unharmed', async () => {
  const bounds = { limits: { memory: '1Gi' } };
  const created = parseKymaFunction(await post(withFunction({ resources: bounds })));
  const key = { namespace: 'default', name: created.metadata.name };
  const newest = cluster.client.of({ ...kymaFunctionType, version: 'v2alpha2' });
  await newest.patch(key, { type: 'merge', patch: { spec: { replicas: 2 } } });
  const { spec } = parseKymaFunction(await cluster.client.of(kymaFunctionType).get(key));
  assert.deepEqual(spec, { ...created.spec, replicas: 2 });
});
