/**
 * A real API server takes our kinds: their schemas, the cost of their rules, their examples. And
 * operators work against it, as a process of their own.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import * as kinds from '@fnlet/api';
import * as kubeless from '@fnlet/api/kubeless';
import * as kyma from '@fnlet/api/kyma';
import * as modules from '@fnlet/api/kyma-modules';
import type { CustomResourceDefinition } from '@fnlet/machinery';
import { listFiles } from '../tooling/source-file.ts';
import { kubectl, needsCluster, tryKubectl } from './cluster.ts';
import { runProgram } from './fnlet-process.ts';

const root = join(import.meta.dirname, '..');
const program = join(root, 'packages', 'cli', 'bin', 'fnlet.js');

const own = [
  ...[kinds.functionCrd, kinds.revisionCrd, kinds.runtimeCrd, kinds.triggerCrd],
  ...[kinds.brokerCrd, kinds.operatorCrd],
];
const foreign = [
  ...[kubeless.kubelessFunctionCrd, kubeless.cronJobTriggerCrd, kubeless.httpTriggerCrd],
  ...[kubeless.kafkaTriggerCrd, kubeless.natsTriggerCrd, kubeless.kinesisTriggerCrd],
  ...[kyma.kymaFunctionCrd, modules.subscriptionCrd, modules.apiRuleCrd, modules.scaledObjectCrd],
];

function applying(definition: CustomResourceDefinition, ...more: string[]): Promise<string> {
  const args = ['apply', '--server-side', '--force-conflicts', '-o', 'json', ...more, '-f', '-'];
  return kubectl(args, { input: JSON.stringify(definition) });
}

describe('kinds', needsCluster, () => {
  for (const definition of [...own, ...foreign]) {
    test(`${definition.metadata.name} is taken as it is`, async () => {
      const taken = JSON.parse(await applying(definition, '--dry-run=server'));
      // What a server does not know of a schema it drops without a word.
      for (const [index, version] of definition.spec.versions.entries()) {
        assert.partialDeepStrictEqual(taken.spec.versions[index], version);
      }
    });
  }

  describe('once they are there', () => {
    before(async () => {
      for (const definition of own) await applying(definition);
      const names = own.map(({ metadata }) => `crd/${metadata.name}`);
      await kubectl(['wait', '--for=condition=Established', '--timeout=60s', ...names]);
    });

    test('their schemas are structural', async () => {
      for (const { metadata } of own) {
        const found = JSON.parse(await kubectl(['get', 'crd', metadata.name, '-o', 'json']));
        const types = found.status.conditions.map(({ type }: { readonly type: string }) => type);
        assert.ok(!types.includes('NonStructuralSchema'), metadata.name);
      }
    });

    const manifests = listFiles(['examples/**/*.yaml']).filter(
      // Those of kinds that are not there: of an example, and of other systems.
      (path) => !/\/site\.|\/(kyma|kubeless)-/.test(path),
    );
    for (const path of manifests) {
      test(`${path} is valid`, async () => {
        const { code, stderr } = await tryKubectl([
          ...['apply', '--dry-run=server', '--validate=strict', '-f', join(root, path)],
        ]);
        assert.equal(code, 0, stderr);
      });
    }
  });
});

describe('an operator', needsCluster, () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'fnlet-cluster-'));
    await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
    const args = [program, 'operator', 'init', 'card'];
    const { code, stderr } = await runProgram(process.execPath, args, {
      cwd: directory,
      env: { ...process.env, NODE_ENV: '' },
    });
    assert.equal(code, 0, stderr);
  });
  after(async () => {
    await tryKubectl(['delete', '--ignore-not-found', 'crd/cards.example.dev', '--timeout=60s']);
    await rm(directory, { recursive: true, force: true });
  });

  test('brings its kind, makes children, mends them, and ends with its objects', async () => {
    const folder = join(directory, 'card');
    const running = spawn(process.execPath, ['operator.ts'], { cwd: folder, stdio: 'ignore' });
    try {
      await kubectl(['wait', '--for=create', 'crd/cards.example.dev', '--timeout=60s']);
      await kubectl(['wait', '--for=condition=Established', 'crd/cards.example.dev']);
      await kubectl(['apply', '-f', join(folder, 'sample.yaml')]);
      await kubectl(['wait', '--for=condition=Ready', 'card/ada', '--timeout=60s']);
      assert.equal(await textOf('ada'), 'Hello, Ada!');
      await kubectl(['delete', 'configmap', 'ada']);
      await kubectl(['wait', '--for=create', 'configmap/ada', '--timeout=60s']);
      await kubectl(['patch', 'card', 'ada', '--type=merge', '-p', '{"spec":{"greeting":"Hi"}}']);
      const said = "--for=jsonpath={.data.text}='Hi, Ada!'";
      await kubectl(['wait', said, 'configmap/ada', '--timeout=60s']);
      await kubectl(['delete', 'card', 'ada', '--timeout=60s']);
      await kubectl(['wait', '--for=delete', 'configmap/ada', '--timeout=60s']);
    } finally {
      running.kill();
    }
  });
});

function textOf(name: string): Promise<string> {
  return kubectl(['get', 'configmap', name, '-o', 'jsonpath={.data.text}']);
}
