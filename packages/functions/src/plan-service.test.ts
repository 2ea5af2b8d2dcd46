import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Compatibility } from '@fnlet/api';
import { sampleFunction } from '../test/samples.ts';
import { planRevision } from './plan-revision.ts';
import { planRunnable } from './plan-runnable.ts';
import { planService } from './plan-service.ts';

function functionOf(compatibility: Compatibility | undefined) {
  return sampleFunction(compatibility === undefined ? {} : { compatibility });
}

test('planService() gives a Function of its own the port of plain URLs, and that of Instances', () => {
  const { metadata, spec } = planService(functionOf(undefined));
  assert.equal(metadata.name, 'hello');
  assert.equal(spec.clusterIP, 'None');
  assert.deepEqual(spec.selector, { 'fnlet.dev/function': 'hello' });
  const found = (spec.ports ?? []).map(({ name, port, targetPort }) => [name, port, targetPort]);
  assert.deepEqual(found, [
    ['http', 80, 8080],
    ['http-alt', 8080, 8080],
  ]);
});

test('planService() gives clients of Kyma port 80 and a selector of four labels', () => {
  const { metadata, spec } = planService(functionOf('kyma'));
  assert.deepEqual(spec.selector, {
    'serverless.kyma-project.io/function-name': 'hello',
    'serverless.kyma-project.io/managed-by': 'function-controller',
    'serverless.kyma-project.io/resource': 'deployment',
    'serverless.kyma-project.io/uuid': 'u1',
  });
  assert.deepEqual(
    spec.ports?.map(({ name, port }) => [name, port]),
    [['http', 80]],
  );
  assert.equal(metadata.labels?.['fnlet.dev/function'], 'hello');
});

test('planService() gives clients of Kubeless the port that they know by name', () => {
  const { metadata, spec } = planService(functionOf('kubeless'));
  assert.deepEqual(spec.selector, { 'created-by': 'kubeless', function: 'hello' });
  assert.deepEqual(
    spec.ports?.map(({ name, port }) => [name, port]),
    [['http-function-port', 8080]],
  );
  assert.equal(metadata.labels?.['created-by'], 'kubeless');
});

test('planService() has the labels of a function of Kyma or Kubeless, but for its own', () => {
  const labels = { team: 'a', 'created-by': 'me', 'serverless.kyma-project.io/uuid': 'x' };
  const labelsOf = (compatibility: Compatibility | undefined): unknown => {
    const owner = functionOf(compatibility);
    return planService({ ...owner, metadata: { ...owner.metadata, labels } }).metadata.labels;
  };
  const own = { 'fnlet.dev/function': 'hello', 'app.kubernetes.io/managed-by': 'fnlet' };
  const called = { 'created-by': 'kubeless', function: 'hello' };
  assert.deepEqual(labelsOf('kubeless'), { ...labels, ...called, ...own });
  assert.equal(Object(labelsOf('kyma')).team, 'a');
  assert.equal(Object(labelsOf('kyma'))['serverless.kyma-project.io/uuid'], 'u1');
  assert.deepEqual(labelsOf(undefined), own);
});

for (const compatibility of [undefined, 'kyma', 'kubeless'] as const) {
  test(`Instances of a Function carry what its Service selects by (${compatibility})`, () => {
    const owner = functionOf(compatibility);
    const { labels } = planRunnable({
      revision: planRevision(owner, owner.spec.source, 'e'),
      runsOn: 'nodejs24',
      env: {},
      sourceDirectory: '/s',
      bodyBytesMax: 1,
    });
    for (const [name, value] of Object.entries(planService(owner).spec.selector ?? {})) {
      assert.equal(labels[name], value, name);
    }
  });
}
