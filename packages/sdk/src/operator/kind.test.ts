import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kind } from './kind.ts';
import {
  ConfigMap,
  Deployment,
  Endpoints,
  Ingress,
  Namespace,
  Secret,
} from './kinds/builtin-kinds.ts';
import type { ObjectShape } from './object.ts';

interface Certificate extends ObjectShape {
  readonly spec: { readonly secretName: string };
}

test('a kind is addressed by group, version and plural', () => {
  const Certificates = kind<Certificate>({
    group: 'cert-manager.io',
    version: 'v1',
    kind: 'Certificate',
    plural: 'certificates',
    scope: 'Namespaced',
  });
  assert.equal(Certificates.apiVersion, 'cert-manager.io/v1');
  assert.equal(ConfigMap.apiVersion, 'v1');
  assert.equal(Ingress.plural, 'ingresses');
  assert.equal(Endpoints.plural, 'endpoints');
  assert.equal(Namespace.scope, 'Cluster');
});

test('a view adds up what is kept and what is selected', () => {
  const view = Deployment.keep('spec.replicas').select('app=web').keep('status').select('tier');
  assert.deepEqual(view.fields, ['spec.replicas', 'status']);
  assert.equal(view.labels, 'app=web,tier');
  assert.equal(view.kind, Deployment);
});

test('a watch names the objects that one of another kind concerns', () => {
  const watch = ConfigMap.keep('data').mapTo(({ metadata }) => ({ name: metadata.name }));
  assert.deepEqual(watch.view.fields, ['data']);
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  assert.deepEqual(watch.map?.(object), { name: 'a' });
});

test("Kubernetes' own kinds know their fields", () => {
  const web = Deployment.of({
    metadata: { name: 'web', labels: { app: 'web' } },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template: { spec: { containers: [{ name: 'web', ports: [{ containerPort: 80 }] }] } },
    },
  });
  assert.equal(web.apiVersion, 'apps/v1');
  // @ts-expect-error: a port is a number
  Deployment.of({ metadata: { name: 'a' }, spec: { replicas: 'two' } });
  // @ts-expect-error: a ConfigMap has no spec
  ConfigMap.of({ metadata: { name: 'a' }, spec: {} });
});

test('mapTo() takes a function or CEL, and only one of them is there', () => {
  const expression = 'object.metadata.labels.site';
  const { view, ...byText } = Secret.keep('metadata.labels').mapTo(expression);
  assert.deepEqual([view.fields, byText], [['metadata.labels'], { expression }]);
  const map = (): undefined => undefined;
  assert.equal(Secret.mapTo(map).map, map);
  assert.equal(Secret.mapTo(map).expression, undefined);
});
